#!/usr/bin/env node
// The program. What needs nothing is answered before anything is loaded; everything else is `start.ts`.
import { enableCompileCache } from "node:module"
import process from "node:process"
import { styleText } from "node:util"
import { catalog } from "./Catalog.ts"
import { version } from "./version.ts"

const [first] = process.argv.slice(2)

if (first === undefined) {
  // node's own rules for colours: a terminal, NO_COLOR, FORCE_COLOR
  process.stdout.write(catalog(version, styleText("bold", " ", { stream: process.stdout }) !== " "))
} else if (first === "--version") {
  process.stdout.write(`svcctl ${version}\n`)
} else {
  // what is compiled now need not be compiled the next time
  enableCompileCache()
  void import("./start.ts")
}
