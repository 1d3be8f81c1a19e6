// Keeps what Node makes of the sources (types stripped, code compiled) for the next start, also of the processes that
// this one starts: it is then faster, and the compiler is not even loaded.
import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"

process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url))
enableCompileCache(process.env.NODE_COMPILE_CACHE)
