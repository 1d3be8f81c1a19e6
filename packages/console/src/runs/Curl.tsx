// The request of a run for a terminal. The token is not in it.
import type { Target } from "../chat/Conversation.ts"
import { Copy } from "../parts/Copy.tsx"
import { addressOf, token } from "../service/Service.ts"

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export const commandOf = ({ id, kind }: Target, input: string): string =>
  [
    `curl ${quoted(addressOf(`/${kind}s/${encodeURIComponent(id)}/runs`))}`,
    ...(token.value === undefined ? [] : [`-H "Authorization: Bearer $SVC_TOKEN"`]),
    `--form-string ${quoted(`message=${input}`)}`,
    `--form-string stream=false`
  ].join(" ")

export const Curl = ({ input, target }: { readonly target: Target; readonly input: string }) => (
  <Copy text={() => commandOf(target, input)}>Copy as curl</Copy>
)
