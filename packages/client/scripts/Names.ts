// Names of the client's methods. They follow from method and path, unless the texts of an operation name its method.

/** As the document has it: `method` of the texts of an operation. */
export const named = "x-client-method"

/** Operations of runs have methods of their own: `svc.agent(id)`. */
export const isOfRuns = (path: string): boolean => /^\/(agents|teams|workflows)\/\{\w+\}\/(runs|sessions)/.test(path)

const verbs: Readonly<Record<string, readonly [ofAll: string, ofOne: string]>> = {
  get: ["list", "get"],
  post: ["create", "create"],
  patch: ["update", "update"],
  put: ["set", "set"],
  delete: ["deleteAll", "delete"]
}

export const camelCase = (text: string): string =>
  text.toLowerCase().replace(/[-_ ]+(\w)/g, (_, letter: string) => letter.toUpperCase())

/** `sessions.rename` for `POST /sessions/{session_id}/rename`. */
export const methodName = (
  { operationId, [named]: name }: { readonly operationId: string; readonly [named]?: string },
  method: string,
  path: string
): string => {
  if (name !== undefined) return name
  const parts = path.split("/").slice(1)
  const last = parts.at(-1) ?? ""
  if (parts.length > 2 && !last.startsWith("{")) return camelCase(last)
  return verbs[method]?.[last.startsWith("{") ? 1 : 0] ?? camelCase(operationId)
}
