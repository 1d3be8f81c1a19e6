// A conversation with an agent, a team, a workflow, or what a factory makes.
import type { JsonObject } from "@svc-runtime/client"
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { Empty } from "../parts/Empty.tsx"
import { Problem } from "../parts/Problem.tsx"
import { database, href, parse, query, redirect, route, whole } from "../Route.ts"
import { may } from "../service/Caller.ts"
import { type Component, kinds, loadComponents } from "../service/components.ts"
import { databases, isRefused, svc, untilAccepted } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { Composer } from "./Composer.tsx"
import { Conversation, type Target } from "./Conversation.ts"
import { hasFields, isComplete, SchemaForm } from "./SchemaForm.tsx"
import { SessionList } from "./SessionList.tsx"
import { isExecuting } from "./Turn.ts"
import { TurnView } from "./TurnView.tsx"

// What a chat without messages suggests: the quick prompts that the service has for the component.
interface PromptProps {
  readonly id: string
  readonly send: (text: string) => void
}

const loadPrompts = async (id: string, signal: AbortSignal): Promise<ReadonlyArray<string>> => {
  const { chat, manifest } = await svc().system.config({ signal })
  return [...new Set([...chat?.quick_prompts[id] ?? [], ...manifest?.[id]?.quick_prompts ?? []])]
}

/** Nothing without the scope of the config, and nothing when it cannot be read: one can write without suggestions. */
const QuickPrompts = ({ id, send }: PromptProps) => {
  const isReadable = may("config:read")
  const { value: prompts = [] } = useLoaded(
    (signal) => isReadable ? loadPrompts(id, signal) : Promise.resolve([]),
    [id, isReadable]
  )
  return prompts.length === 0 ? null : (
    <p class="followups" role="group" aria-label="Suggested messages">
      {prompts.map((text) => <button key={text} type="button" onClick={() => send(text)}>{text}</button>)}
    </p>
  )
}

/** Turns on the page. Earlier ones are drawn when the person wants them. */
const maxDrawn = 50

interface TalkProps {
  readonly component: Component
  readonly session: string | undefined
  /** The version of a stored component, for example a draft. Left out: the current one. */
  readonly version: number | undefined
}

const VersionNotice = ({ component: { id, kind }, session, version }: TalkProps) => (
  <p class="quiet version">
    Messages go to version {version}. <a href={href(["chat", kind, id], { session })}>Use the current version</a>
  </p>
)

const Talk = (props: TalkProps) => {
  const { component, session, version } = props
  const { id, kind } = component
  // a new conversation gets its session from its first run, and stays the same conversation
  const current = useRef<Conversation | undefined>(undefined)
  const conversation = useMemo(() => {
    const known = current.current
    const isSame = known !== undefined && known.target.id === id && known.target.kind === kind &&
      session !== undefined && known.session.value === session
    if (isSame) return known
    known?.close()
    const target: Target = { id, kind }
    current.current = new Conversation(target, session)
    return current.current
  }, [id, kind, session])
  const [problem, setProblem] = useState<unknown>(undefined)
  const [input, setInput] = useState<JsonObject>({})
  const [factoryInput, setFactoryInput] = useState<JsonObject>({})
  const [unopened, setUnopened] = useState<unknown>(undefined)
  const [attempt, setAttempt] = useState(0)
  const isOut = isRefused.value
  useEffect(() => {
    if (isOut) return
    const control = new AbortController()
    setUnopened(undefined)
    conversation.open(control.signal).catch((error: unknown) => {
      if (!control.signal.aborted) setUnopened(error)
    })
    return () => control.abort()
  }, [conversation, attempt, isOut])
  useEffect(() => setProblem(undefined), [conversation])
  useEffect(() => () => current.current?.close(), [])
  const started = conversation.session.value
  useEffect(() => {
    // the person may have left for another page, before that page is drawn
    const isHere = (parse(location.hash).path[0] ?? "chat") === "chat"
    if (isHere && started !== undefined && started !== session) query({ session: started })
  }, [started])

  const [drawn, setDrawn] = useState(maxDrawn)
  useEffect(() => setDrawn(maxDrawn), [conversation])
  const frame = conversation.frame.value
  const turns = conversation.turns.value
  const end = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    if (isAtEnd.current) end.current?.scrollIntoView({ block: "end" })
  }, [frame, turns.length])
  const last = turns.at(-1)
  const executing = last !== undefined && isExecuting(last)
  const { factory_input_schema: factorySchema, input_schema: declared, is_factory: isFactory } = component
  // that of a factory is the input of the factory
  const inputSchema = isFactory === true || declared === undefined || !hasFields(declared) ? undefined : declared
  return (
    <>
      <section class="talk">
        <div
          class="turns"
          role="log"
          aria-label="Conversation"
          tabIndex={0}
          onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) => {
            isAtEnd.current = scrollHeight - scrollTop - clientHeight < 60
          }}
        >
          {version === undefined ? null : <VersionNotice {...props} />}
          <Problem error={unopened} retry={() => setAttempt(attempt + 1)} />
          {turns.length <= drawn
            ? null
            : (
              <p class="earlier">
                <button type="button" onClick={() => setDrawn(drawn + maxDrawn)}>
                  Show earlier ones of {turns.length} messages
                </button>
              </p>
            )}
          {turns.length === 0 && unopened === undefined
            ? (
              <>
                <Empty title={component.name ?? id}>{component.description ?? "Write a message to begin."}</Empty>
                {session === undefined && factorySchema === undefined && declared === undefined &&
                    may(`${kind}s:run`, id)
                  ? <QuickPrompts id={id} send={(message) => void conversation.send({ message })} />
                  : null}
              </>
            )
            : turns.slice(-drawn).map((turn) => (
              <TurnView
                key={turn.key}
                turn={turn}
                version={turn.version}
                isLast={turn === last}
                isBusy={executing}
                branches={conversation.branchesOf(turn).length}
                conversation={conversation}
              />
            ))}
          <Problem error={problem} />
          <div ref={end} />
        </div>
        {!may(`${kind}s:run`, id) ? <p class="quiet composer">Your token may not run this.</p> : (
          <Composer
            conversation={conversation}
            draft={`${kind}.${id}.${session ?? ""}`}
            isExecuting={executing}
            form={inputSchema === undefined ? undefined : { isComplete: isComplete(inputSchema, input) }}
            stop={() => {
              if (last !== undefined) untilAccepted(() => conversation.cancel(last)).catch(setProblem)
            }}
            send={(text, files, accepted) => {
              isAtEnd.current = true
              void conversation.send({
                message: inputSchema === undefined ? text : JSON.stringify(input),
                ...(factorySchema === undefined ? {} : { factory_input: factoryInput }),
                ...(version === undefined ? {} : { version }),
                ...(files.length === 0 ? {} : { files: [...files] })
              }, accepted)
            }}
          >
            {factorySchema === undefined
              ? null
              : (
                <SchemaForm
                  legend="Input of the factory"
                  schema={factorySchema}
                  value={factoryInput}
                  change={(value) => setFactoryInput(value as JsonObject)}
                />
              )}
            {inputSchema === undefined
              ? null
              : (
                <SchemaForm
                  legend="Input"
                  schema={inputSchema}
                  value={input}
                  change={(value) => setInput(value as JsonObject)}
                />
              )}
          </Composer>
        )}
      </section>
      <SessionList target={{ id, kind }} session={started ?? session} version={`${started ?? ""} ${executing}`} />
    </>
  )
}

export const ChatPage = () => {
  const { path: [, kind, id], query: { session, version } } = route.value
  const { problem, reload, value: components } = useLoaded(loadComponents, [])
  const component = components?.find((each) => each.kind === kind && each.id === id)
  // its sessions are in its own database
  const elsewhere = databases.value.length < 2
    ? undefined
    : databases.value.find((id) => id === component?.db_id && id !== database.value)
  useEffect(() => {
    if (elsewhere === undefined) return
    database.value = elsewhere
    query({ db_id: elsewhere })
  }, [elsewhere])
  const [first] = components ?? []
  useEffect(() => {
    if (kind === undefined && first !== undefined) redirect(href(["chat", first.kind, first.id]))
  }, [kind, first])
  return (
    <div class="chat">
      <nav class="components" aria-label="Components">
        <Problem error={problem} retry={reload} />
        {kinds.map((each) => {
          const listed = components?.filter((component) => component.kind === each) ?? []
          return listed.length === 0 ? null : (
            <section key={each}>
              <h2>{`${each[0]?.toUpperCase()}${each.slice(1)}s`}</h2>
              <ul>
                {listed.map((listed) => (
                  <li key={listed.id}>
                    <a
                      href={href(["chat", each, listed.id])}
                      {...(listed === component ? { "aria-current": "page" as const } : {})}
                    >
                      {listed.name ?? listed.id}
                      {listed.is_factory ? <span class="quiet">{" "}factory</span> : null}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          )
        })}
      </nav>
      {components === undefined || elsewhere !== undefined
        ? null
        : component !== undefined
        ? (
          <Talk
            key={`${component.kind} ${component.id}`}
            component={component}
            session={session}
            version={whole(version)}
          />
        )
        : (
          <Empty title={components.length === 0 ? "There are no agents yet" : "This component does not exist"}>
            {components.length === 0
              ? "Give your service an agent: docs/first-project.md shows how."
              : "Choose one from the list."}
          </Empty>
        )}
    </div>
  )
}
