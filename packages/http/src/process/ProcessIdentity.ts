// Whether another process on this machine has stopped, so that its runs can be taken over without waiting for
// NODE_TIMEOUT. If this is uncertain, the process counts as alive. Machines, containers and restarts of a machine are
// identified by Linux.
import type { RunEngineOptions } from "@svc-runtime/engine/run/engine/RunEngine"
import { Effect, Option } from "effect"
import { existsSync, readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

type Identity = NonNullable<RunEngineOptions["identity"]>

/** The machine, its start, and the process ids that are visible together. None where that is unknown. */
const place = Option.map(
  Option.liftThrowable(() => [
    readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
    readlinkSync("/proc/self/ns/pid")
  ])(),
  (parts) => [hostname(), ...parts].join(" ")
)

/** Unknown if another process can have the process id now. */
const isGone = (pid: number): boolean => pid === process.pid || !existsSync(`/proc/${pid}`)

export const make: Effect.Effect<Identity | undefined> = Effect.sync(() =>
  Option.getOrUndefined(Option.map(place, (here): Identity => ({
    self: `${here} ${process.pid}`,
    isGone: (other) => {
      const at = other.lastIndexOf(" ")
      const pid = Number(other.slice(at + 1))
      return other.slice(0, at) === here && Number.isInteger(pid) && pid > 0 && isGone(pid)
    }
  })))
)
