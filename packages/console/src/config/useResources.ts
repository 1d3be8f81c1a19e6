// What configs can name: tools, models, knowledge and schemas. Without the scope of the registry, there is nothing.
import { features, may } from "../service/Caller.ts"
import { svc } from "../service/Service.ts"
import { type Loaded, useLoaded } from "../service/useLoaded.ts"
import type { Resource } from "./config.ts"

const none: ReadonlyArray<Resource> = []

const load = async (signal: AbortSignal): Promise<ReadonlyArray<Resource>> => {
  const client = svc()
  const found: Array<Resource> = []
  for await (const each of client.all(client.registry.list, { limit: 100 }, { signal })) found.push(each)
  return found
}

export const useResources = (): Loaded<ReadonlyArray<Resource>> => {
  const isReadable = features.value.includes("registry") && may("registry:read")
  return useLoaded((signal) => isReadable ? load(signal) : Promise.resolve(none), [isReadable])
}
