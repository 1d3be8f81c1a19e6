// The program of the service that the tests start: its bundle, which `scripts/chaos.ts` makes, because a process begins
// with it in a third of the processor time. Without a bundle it is the source.
import { fileURLToPath } from "node:url"

const source = fileURLToPath(new URL("service.ts", import.meta.url))

export const serviceFile = process.env["CHAOS_SERVICE"] ?? source

/** With these variables. What changes modules while they are loaded, such as `newer-build.ts`, needs the source. */
export const fileFor = (variables: Readonly<Record<string, string>>): string =>
  variables["CHAOS_SOURCE"] === undefined ? serviceFile : source
