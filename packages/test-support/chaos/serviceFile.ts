// The program of the service that the tests start: its bundle, which `scripts/chaos.ts` makes, because a process begins
// with it in a third of the processor time. Without a bundle it is the source.
import { fileURLToPath } from "node:url"

export const serviceFile = process.env["CHAOS_SERVICE"] ?? fileURLToPath(new URL("service.ts", import.meta.url))
