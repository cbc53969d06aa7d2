def sentences(tables, components): return {}
