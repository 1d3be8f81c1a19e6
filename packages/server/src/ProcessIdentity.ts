// Whether another process on this machine has stopped: then its runs are taken over without waiting for NODE_TIMEOUT.
// Where that is uncertain it counts as alive. Machines, containers and restarts of a machine are identified by Linux.
import type { RunEngineOptions } from "@svc/runtime/run/RunEngine"
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

/** A process id may be in use by another process now: then the answer is unknown. */
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
