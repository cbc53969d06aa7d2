/** Decisions of random self-play for a CPU-second in TAG; run by race.py in a checkout of it, as random_play.py for the libraries in Python. */

import com.sun.management.OperatingSystemMXBean;
import core.AbstractForwardModel;
import core.AbstractGameState;
import core.Game;
import core.actions.AbstractAction;
import games.GameType;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;

public class TagPlay {
    static final OperatingSystemMXBean PROCESS = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    static long decisions, games;

    /** Plays games until so many seconds of processor time have passed; returns how many did. */
    static double play(GameType type, int players, Random random, double seconds) {
        long began = PROCESS.getProcessCpuTime();
        decisions = games = 0;
        do {
            Game game = type.createGameInstance(players, random.nextLong());
            AbstractGameState state = game.getGameState();
            AbstractForwardModel rules = game.getForwardModel();
            while (state.isNotTerminal()) {
                List<AbstractAction> legal = rules.computeAvailableActions(state);
                rules.next(state, legal.get(random.nextInt(legal.size())));
                decisions++;
            }
            games++;
        } while (PROCESS.getProcessCpuTime() - began < seconds * 1e9);
        return (PROCESS.getProcessCpuTime() - began) / 1e9;
    }

    public static void main(String[] arguments) throws Exception {
        GameType type = GameType.valueOf(arguments[0]);
        int players = Integer.parseInt(arguments[1]);
        double seconds = Double.parseDouble(arguments[2]);
        Random random = new Random(1);
        play(type, players, random, 0);
        double start = (System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime()) / 1e3;
        play(type, players, random, 2 * seconds); // until its code is compiled
        double spent = play(type, players, random, seconds);
        String peak = Files.readString(Path.of("/proc/self/status")).replaceAll("(?s).*VmHWM:\\s*(\\d+) kB.*", "$1");
        System.out.printf(
            Locale.ROOT, "{\"decisions\": %f, \"games\": %f, \"start\": %f, \"peak\": %f}%n",
            decisions / spent, games / spent, start, Double.parseDouble(peak) / 1024);
    }
}
