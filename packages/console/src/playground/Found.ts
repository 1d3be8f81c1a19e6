// What the playground is about: a component, and the stored one that gets the changes.
import {
  type AgentResponse,
  type ComponentConfigResponse,
  type Kind,
  SvcError,
  type TeamResponse
} from "@svc-runtime/client"
import { type Component, loadComponents } from "../service/components.ts"
import { svc } from "../service/Service.ts"

export interface Found {
  readonly components: ReadonlyArray<Component>
  readonly name: string
  /** Undefined: it is stored. */
  readonly code: AgentResponse | TeamResponse | undefined
  readonly storeId: string
  readonly isStored: boolean
  readonly current: number | undefined
  readonly versions: ReadonlyArray<ComponentConfigResponse>
}

const unlessMissing = (error: unknown) => {
  if (error instanceof SvcError && error.status === 404) return undefined
  throw error
}

export const find = async (kind: Kind, id: string, store: string | undefined, signal: AbortSignal): Promise<Found> => {
  const { components: stored } = svc()
  const components = await loadComponents(signal)
  const listed = components.find((each) => each.kind === kind && each.id === id)
  if (listed?.is_factory === true) {
    throw new Error(`A factory makes "${id}" for each run, so it has no config to change`)
  }
  const code = listed === undefined || listed.is_component || listed.kind === "workflow"
    ? undefined
    : listed as AgentResponse | TeamResponse
  const storeId = code === undefined ? id : store ?? `${id}-copy`
  const taken = await stored.get(storeId, { signal }).catch(unlessMissing)
  // the service refuses to save in a component of another kind
  const found = taken?.component_type === kind ? taken : undefined
  if (store !== undefined && code !== undefined && found?.current_version !== undefined) {
    const { config } = await stored.version(storeId, found.current_version, { signal })
    if (config?.["base"] !== id) {
      throw new Error(
        `There is a stored component "${storeId}" already, which is not based on "${id}". Choose another id`
      )
    }
  }
  if (found === undefined && code === undefined) throw new Error(`There is no ${kind} "${id}"`)
  return {
    components,
    name: code?.name ?? found?.name ?? id,
    code,
    storeId,
    isStored: found !== undefined,
    current: found?.current_version,
    versions: found === undefined ? [] : await stored.versions(storeId, { include_config: false }, { signal })
  }
}
