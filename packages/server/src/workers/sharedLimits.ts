// The limits that protect the machine, or what is paid for, hold for all workers together: each worker has its share.
import { shareOf, type Worker } from "@svc-runtime/domain/Worker"
import type { Config } from "../Config.ts"

export const ofWorker = (config: Config, worker: Worker | undefined): Config => {
  if (worker === undefined) return config
  const share = (limit: number) => shareOf(worker, limit)
  const { embedderRate: { requestsPerMinute, tokensPerMinute }, limits, reader } = config
  const rate = (limit: number | undefined) => limit === undefined ? undefined : share(limit)
  return {
    ...config,
    maxRuns: share(config.maxRuns),
    maxRunInputBytes: share(config.maxRunInputBytes),
    embedderRate: { requestsPerMinute: rate(requestsPerMinute), tokensPerMinute: rate(tokensPerMinute) },
    reader: { ...reader, processes: share(reader.processes) },
    limits: {
      ...limits,
      responsesInFlight: share(limits.responsesInFlight),
      sockets: share(limits.sockets),
      socketsPerCaller: share(limits.socketsPerCaller),
      uploadsInFlight: share(limits.uploadsInFlight)
    }
  }
}
