# The build list: one line per plugin, in the order of plugins/builtin.cc.
logweir_plugin(inputs/tail)
logweir_plugin(inputs/tcp)
logweir_plugin(filters/grep)
logweir_plugin(outputs/file)
logweir_plugin(outputs/http)
logweir_plugin(outputs/null)
logweir_plugin(outputs/stdout)
logweir_plugin(outputs/tcp)
