// A conversation with an agent, a team, a workflow, or what a factory makes.
import { signal } from "@preact/signals"
import type { JsonObject } from "@svc-runtime/client"
import { PanelLeft, Plus, SlidersHorizontal } from "lucide"
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { Drawer } from "../parts/Drawer.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Icon, IconButton } from "../parts/Icon.tsx"
import { Problem } from "../parts/Problem.tsx"
import { database, href, parse, query, redirect, route, whole } from "../Route.ts"
import { may, mayOpen } from "../service/Caller.ts"
import { type Component, isConversing, kindIcons, kinds, loadComponents } from "../service/components.ts"
import { databases, isRefused, svc, untilAccepted } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { BackgroundTasks, startedIn } from "./BackgroundTasks.tsx"
import { Composer } from "./Composer.tsx"
import { Conversation, type Target } from "./Conversation.ts"
import { FirstSteps } from "./FirstSteps.tsx"
import { offerOf } from "./offers.ts"
import type { Chosen, RunChoices } from "./RunChoices.tsx"
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

// The model and the settings. Their fields are loaded for components that offer some.
const useRunChoices = (isOffered: boolean): typeof RunChoices | undefined => {
  const [found, setFound] = useState<{ readonly View: typeof RunChoices } | undefined>(undefined)
  useEffect(() => {
    if (!isOffered) return
    // without them, one can write as before
    import("./RunChoices.tsx").then(({ RunChoices }) => setFound({ View: RunChoices }), () => undefined)
  }, [isOffered])
  return found?.View
}

/** Milliseconds after which a paused run is read again. */
const rereading = 5000

/** Turns on the page. Earlier ones are drawn when the person wants them. */
const maxDrawn = 50

/** Increases when a run has begun or ended, so that the list of sessions is read again. */
const changes = signal(0)

const sample = `Agent.make({
  id: "helper",
  instructions: "Answer in one sentence."
})`

interface TalkProps {
  readonly openPanel: () => void
  readonly component: Component
  readonly session: string | undefined
  /** The version of a stored component, for example a draft. Left out: the current one. */
  readonly version: number | undefined
}

const VersionNotice = ({ component: { id, kind }, session, version }: Omit<TalkProps, "openPanel">) => (
  <p class="quiet version">
    Messages go to version {version}. <a href={href(["chat", kind, id], { session })}>Use the current version</a>
  </p>
)

const Talk = (props: TalkProps) => {
  const { component, openPanel, session, version } = props
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
  const offer = offerOf(component)
  const Choices = useRunChoices(offer !== undefined)
  const [chosen, setChosen] = useState<Chosen>({ model: "", settings: {} })
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
  useEffect(() => {
    const { model, settings } = chosen
    conversation.choices = {
      ...(version === undefined ? {} : { version }),
      ...(model === "" ? {} : { model }),
      ...(Object.keys(settings).length === 0 ? {} : { model_settings: settings })
    }
  }, [conversation, chosen, version])
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
  const isPaused = last?.root.state === "paused"
  useEffect(() => {
    if (last === undefined || !isPaused || isOut) return
    const control = new AbortController()
    const timer = setInterval(() => {
      // the service is away, or it is a decision that is refused: the next time says it
      if (document.visibilityState === "visible") conversation.reread(last, control.signal).catch(() => undefined)
    }, rereading)
    return () => {
      clearInterval(timer)
      control.abort()
    }
  }, [conversation, last, isPaused, isOut])
  const isListed = useRef(false)
  useEffect(() => {
    if (isListed.current) changes.value++
    isListed.current = true
  }, [started, executing])
  return (
    <section class="talk">
      <header class="about">
        <IconButton of={PanelLeft} label="Conversations" onClick={openPanel} />
        <Icon of={kindIcons[kind]} />
        <h1>{component.name ?? id}</h1>
        <span class="quiet cut">{component.description ?? ""}</span>
        {isConversing(kind) && isFactory !== true && mayOpen("playground")
          ? (
            <a
              class="button"
              href={href(["playground", kind, id], {
                run: last?.run?.run_id,
                session: last?.run?.session_id,
                a: version === undefined ? undefined : String(version)
              })}
            >
              <Icon of={SlidersHorizontal} /> Playground
            </a>
          )
          : null}
        <a class="button" href={href(["chat", kind, id])}>
          <Icon of={Plus} /> New conversation
        </a>
      </header>
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
              <Empty icon={kindIcons[kind]} title={component.name ?? id}>
                {component.description ?? "Write a message to begin."}
              </Empty>
              {session === undefined && factorySchema === undefined && declared === undefined &&
                  may(`${kind}s:run`, id)
                ? <QuickPrompts id={id} send={(message) => void conversation.send({ message })} />
                : null}
              {session === undefined ? <FirstSteps /> : null}
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
        <BackgroundTasks conversation={conversation} count={startedIn(turns)} />
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
              ...(files.length === 0 ? {} : { files: [...files] })
            }, accepted)
          }}
        >
          {offer === undefined || Choices === undefined
            ? null
            : <Choices offer={offer} chosen={chosen} change={setChosen} />}
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
  )
}

/** What an empty service needs first. */
const FirstAgent = () => (
  <Empty title="There are no agents yet">
    Give your service an agent, and it is here after a restart:
    <pre class="sample">{sample}</pre>
    {mayOpen("components") && may("components:write")
      ? (
        <>
          Or make one from data, without code: <a href={href(["components"])}>New component</a>
        </>
      )
      : null}
  </Empty>
)

/** A long list shows the chosen entry. */
const reveal = (entry: HTMLElement | null) => entry?.scrollIntoView({ block: "nearest" })

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
  const [isPanelOpen, setPanelOpen] = useState(false)
  const panel = (
    <>
      <nav class="components" aria-label="Components">
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
                      ref={listed === component ? reveal : null}
                      {...(listed === component ? { "aria-current": "page" as const } : {})}
                    >
                      <Icon of={kindIcons[each]} />
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
      {component === undefined ? null : (
        <SessionList
          target={{ id: component.id, kind: component.kind }}
          session={session}
          version={`${session ?? ""} ${changes.value}`}
        />
      )}
    </>
  )
  return (
    <div class="chat">
      <div class="panel">{panel}</div>
      {isPanelOpen
        ? <Drawer title="Conversations" name="panel" close={() => setPanelOpen(false)}>{panel}</Drawer>
        : null}
      {components === undefined
        ? (
          <div class="page">
            <Problem error={problem} retry={reload} />
          </div>
        )
        : elsewhere !== undefined
        ? null
        : component !== undefined
        ? (
          <Talk
            key={`${component.kind} ${component.id}`}
            component={component}
            session={session}
            version={whole(version)}
            openPanel={() => setPanelOpen(true)}
          />
        )
        : components.length === 0
        ? <FirstAgent />
        : <Empty title="This component does not exist">Choose one from the list.</Empty>}
    </div>
  )
}
