// What a chat without messages suggests: the quick prompts that the service has for the component.
import { may } from "../service/Caller.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

interface Props {
  readonly id: string
  readonly send: (text: string) => void
}

const load = async (id: string, signal: AbortSignal): Promise<ReadonlyArray<string>> => {
  const { chat, manifest } = await svc().system.config({ signal })
  return [...new Set([...chat?.quick_prompts[id] ?? [], ...manifest?.[id]?.quick_prompts ?? []])]
}

/** Nothing without the scope of the config, and nothing when it cannot be read: one can write without suggestions. */
export const QuickPrompts = ({ id, send }: Props) => {
  const isReadable = may("config:read")
  const { value: prompts = [] } = useLoaded(
    (signal) => isReadable ? load(id, signal) : Promise.resolve([]),
    [id, isReadable]
  )
  return prompts.length === 0 ? null : (
    <p class="followups" role="group" aria-label="Suggested messages">
      {prompts.map((text) => <button key={text} type="button" onClick={() => send(text)}>{text}</button>)}
    </p>
  )
}
