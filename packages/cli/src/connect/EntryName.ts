// The names of entries for a service in configs: the requested name, or one made of the name of the service.
import { Option } from "effect"
import { Flag } from "effect/cli"
import * as Flags from "../Flags.ts"

/** For a service without a name. */
const fallback = "agentos"

/** The name of every entry of older versions of this tool. */
export const legacy = "svc"

/** `Acme.Prod v2` → `acme-prod-v2` */
export const derived = (serviceName: string | null): string => {
  const name = (serviceName ?? "")
    .toLowerCase()
    .replaceAll(/[\s.]/g, "-")
    .replaceAll(/[^a-z0-9_-]/g, "")
    .replaceAll(/-+/g, "-")
    .replaceAll(/^-|-$/g, "")
  // a key of this name is lost in objects
  return name === "" || name === "__proto__" ? fallback : name
}

const isName = (name: string | undefined): boolean => name === undefined || /^[A-Za-z0-9_-]+$/.test(name)

export const flagOf = (description: string) =>
  Flags.text("server-name", "NAME", description).pipe(
    Flag.filterMap(
      (name) => isName(name) ? Option.some(name) : Option.none(),
      (name) => `Invalid --server-name: ${name}. Expected letters, digits, - and _`
    )
  )
