// The names of entries for a service in configs: the requested name, or one made of the name of the service.

/** The name of the entry of a service without a name. */
const fallback = "agentos"

/** The name of every entry of older versions of this tool. */
export const legacy = "svc"

/** Objects lose a key of this name. */
const lost = "__proto__"

/** `Acme.Prod v2` → `acme-prod-v2` */
export const derived = (serviceName: string | null): string => {
  const name = (serviceName ?? "")
    .toLowerCase()
    .replaceAll(/[\s.]/g, "-")
    .replaceAll(/[^a-z0-9_-]/g, "")
    .replaceAll(/-+/g, "-")
    .replaceAll(/^-|-$/g, "")
  return name === "" || name === lost ? fallback : name
}

export const isEntryName = (name: string): boolean => name !== lost && /^[A-Za-z0-9_-]+$/.test(name)

export const entryNameRule = `Expected letters, digits, - and _, and not ${lost}`
