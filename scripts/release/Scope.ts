// Renames imports of `@svc-runtime/…` to the published names, in compiled code and in declarations. Other texts with `@svc-runtime/`,
// such as the keys of services, stay: they are not names of packages.
import { publishedNames } from "../publishing.ts"

const specifier = new RegExp(
  `(\\b(?:from|import|module)\\s*\\(?\\s*["'])@svc-runtime/(${Object.keys(publishedNames).join("|")})(?=["'/])`,
  "g"
)

export const rename = (code: string): string =>
  code.replaceAll(
    specifier,
    (_, before: string, folder: keyof typeof publishedNames) => `${before}${publishedNames[folder]}`
  )
