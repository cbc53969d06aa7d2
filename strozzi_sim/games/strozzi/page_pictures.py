PAGE_TITLES={}
def pictures(tables): return []
