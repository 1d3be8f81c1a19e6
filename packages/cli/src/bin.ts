#!/usr/bin/env node
// The entry point. Simple requests are executed before any module is loaded; `start.ts` does the rest.
import process from "node:process"
import { styleText } from "node:util"
import { withCompiledCode } from "./CompileCache.ts"
import { catalog } from "./project/Catalog.ts"
import { watchOutput } from "./terminal/WriteErrors.ts"
import { version } from "./version.ts"

const [first, ...rest] = process.argv.slice(2)
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

watchOutput()

if (first === undefined || (first === "--no-color" && rest.length === 0)) {
  // node's own rules for colours: a terminal, NO_COLOR, FORCE_COLOR
  process.stdout.write(
    catalog(version, first === undefined && styleText("bold", " ", { stream: process.stdout }) !== " ")
  )
} else if (first === "--version") {
  process.stdout.write(`svcctl ${version}\n`)
} else if (major < 22 || (major === 22 && minor < 19)) {
  // this file, which works for a package of npm, a tarball and a clone
  const [, file = "svc"] = process.argv
  process.stderr.write(
    `svc needs Node 22.19 or newer, and this is ${process.versions.node}. Get it from https://nodejs.org, or for one ` +
      `command: npx -p node@24 node ${file} ${first} …\n`
  )
  process.exitCode = 1
} else if (first === "mcp-docs" && rest.length === 0) {
  void import("./mcpDocs.ts")
} else {
  withCompiledCode(first, () => void import("./start.ts"))
}
