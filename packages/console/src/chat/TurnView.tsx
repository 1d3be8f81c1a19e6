// A turn, as people read it.
import type { Reference, References } from "@svc-runtime/client"
import {
  Brain,
  Check,
  ChevronLeft,
  ChevronRight,
  CircleAlert,
  CirclePause,
  CircleSlash,
  Database,
  FileText,
  type IconNode,
  Link,
  LoaderCircle,
  Paperclip,
  Pencil,
  RefreshCw
} from "lucide"
import { memo } from "preact/compat"
import { useEffect, useState } from "preact/hooks"
import { Copy } from "../parts/Copy.tsx"
import { Icon, IconButton } from "../parts/Icon.tsx"
import { Folded, Json } from "../parts/Json.tsx"
import { Markdown } from "../parts/Markdown.tsx"
import { parsed } from "../parts/parsed.ts"
import { Problem } from "../parts/Problem.tsx"
import { duration as durationOf } from "../parts/Time.tsx"
import { summaryOf, Values } from "../parts/Values.tsx"
import { href } from "../Route.ts"
import { features, may } from "../service/Caller.ts"
import { CallDecisions } from "./CallDecisions.tsx"
import type { Conversation } from "./Conversation.ts"
import { MediumView } from "./MediumView.tsx"
import { StepDecisions } from "./StepDecisions.tsx"
import type * as Turn from "./Turn.ts"
import type { Sources } from "./Turn.ts"
import { Votes } from "./Votes.tsx"

// What an answer is based on: pages that the model named, and passages of knowledge.
const isPage = (url: string): boolean => /^https?:/i.test(url)

const Passage = ({ passage: { chunk, content, content_origin, name } }: { readonly passage: Reference }) => (
  <details class="source">
    <summary>
      <Icon of={FileText} />
      <span class="name">{name ?? content_origin ?? "Document"}</span>
      <span class="quiet">passage {chunk}</span>
    </summary>
    <p>{content}</p>
    {content_origin === null || content_origin === name ? null : <p class="quiet">{content_origin}</p>}
  </details>
)

const isSearch = (value: unknown): value is References =>
  typeof value === "object" && value !== null && "references" in value && Array.isArray(value.references)

const SourcesView = ({ sources: { citations, references } }: { readonly sources: Sources }) => {
  const passages = references.filter(isSearch).flatMap(({ references }) => references)
  const others = references.filter((each) => !isSearch(each))
  const urls = citations?.urls ?? []
  return (
    <div class="sources">
      {passages.length + urls.length === 0 ? null : <p class="label">Sources</p>}
      {urls.map(({ title, url }) => (
        <p key={url} class="source">
          <Icon of={Link} /> {isPage(url)
            ? <a href={url} target="_blank" rel="noopener noreferrer">{title ?? url}</a>
            : (title ?? url)}
        </p>
      ))}
      {passages.map((passage, index) => <Passage key={index} passage={passage} />)}
      <Folded title="Cited documents" value={citations?.documents} />
      <Folded title="Other sources" value={others.length === 0 ? undefined : others} />
    </div>
  )
}

const stateIcons = {
  executing: LoaderCircle,
  completed: Check,
  failed: CircleAlert,
  paused: CirclePause,
  cancelled: CircleSlash
} as const

/** The icon says it to people who see it, the text to others. */
const State = ({ state }: { readonly state: keyof typeof stateIcons }) => (
  <span class={`state ${state}`} title={state}>
    <Icon of={stateIcons[state]} />
    <span class="hidden">{state}</span>
  </span>
)

interface CallProps {
  readonly call: Turn.Call
  /** The run is paused: what has not ended waits. */
  readonly isPaused: boolean
}

const CallView = ({ call: { state, tool }, isPaused }: CallProps) => (
  <details class={`call ${state}`}>
    <summary>
      <State state={isPaused && state === "executing" ? "paused" : state} />
      <code>{tool.tool_name}</code> <span class="quiet cut">{summaryOf(tool.tool_args)}</span>
    </summary>
    <p class="label">Arguments</p>
    <Values value={tool.tool_args} />
    {tool.result === null ? null : <p class="label">Result</p>}
    {tool.result === null ? null : <Values value={parsed(tool.result) ?? tool.result} />}
  </details>
)

const Reasoning = ({ isOpen, text }: { readonly text: string; readonly isOpen: boolean }) => {
  const [chosen, choose] = useState<boolean | undefined>(undefined)
  return (
    <details
      class="reasoning"
      open={chosen ?? isOpen}
      onToggle={(event) => {
        if (event.currentTarget.open !== (chosen ?? isOpen)) choose(event.currentTarget.open)
      }}
    >
      <summary>
        <Icon of={Brain} /> Reasoning
      </summary>
      <Markdown text={text} />
    </details>
  )
}

interface PartProps {
  readonly part: Turn.Part
  readonly isLast: boolean
  readonly isPaused: boolean
}

const PartView = ({ isLast, isPaused, part }: PartProps) => {
  switch (part.type) {
    case "text":
      return <Markdown text={part.text} />
    case "reasoning":
      return <Reasoning text={part.text} isOpen={isLast} />
    case "call":
      return <CallView call={part} isPaused={isPaused} />
    case "value":
      return <Json value={part.value} />
    case "medium":
      return <MediumView medium={part} />
    case "sources":
      return <SourcesView sources={part} />
    case "note":
      return <p class="quiet">{part.text}</p>
    case "activity":
      return (
        <details class={`activity ${part.state}`} open>
          <summary>
            <State state={part.state} />
            {part.title}
          </summary>
          <Parts parts={part.parts} isPaused={isPaused} />
        </details>
      )
  }
}

interface PartsProps {
  readonly parts: ReadonlyArray<Turn.Part>
  readonly isPaused: boolean
}

const Parts = ({ isPaused, parts }: PartsProps) => (
  <>
    {parts.map((part, index) => (
      <PartView key={index} part={part} isLast={index === parts.length - 1} isPaused={isPaused} />
    ))}
  </>
)

const Elapsed = () => {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((seconds) => seconds + 1), 1000)
    return () => clearInterval(timer)
  }, [])
  return <span class="quiet working">{seconds < 2 ? "Working …" : `Working, ${seconds} s …`}</span>
}

const Figures = ({ turn: { figures: { cost, duration, tokens }, run } }: { readonly turn: Turn.Turn }) => (
  <span class="figures quiet">
    {[
      ...(duration === undefined ? [] : [durationOf(duration * 1000)]),
      ...(tokens === undefined ? [] : [`${tokens.toLocaleString()} tokens`]),
      ...(cost === undefined ? [] : [`$${cost.toFixed(4)}`])
    ].join(" · ")} {run === undefined
      ? null
      : <a href={href(["runs", run.run_id], { session: run.session_id })}>Look at the run</a>}
  </span>
)

/** The text of an answer, without calls and reasoning. */
const textOf = (parts: ReadonlyArray<Turn.Part>): string =>
  parts.map((part) =>
    part.type === "text"
      ? part.text
      : part.type === "value"
      ? JSON.stringify(part.value, null, 2)
      : part.type === "activity"
      ? textOf(part.parts)
      : ""
  ).filter((text) => text !== "").join("\n\n")

// What a person changes in a conversation: a message is edited, an answer made again, and another branch shown.
interface BranchProps {
  readonly turn: Turn.Turn
  readonly conversation: Conversation
}

const Branches = ({ conversation, turn }: BranchProps) => {
  const [problem, setProblem] = useState<unknown>(undefined)
  const branches = conversation.branchesOf(turn)
  const at = branches.indexOf(turn)
  const to = (other: Turn.Turn | undefined, label: string, icon: IconNode) => (
    <IconButton
      of={icon}
      label={label}
      isDisabled={other === undefined}
      onClick={() => {
        if (other !== undefined) conversation.show(other).catch(setProblem)
      }}
    />
  )
  return branches.length < 2 || at < 0 ? null : (
    <span class="branches" role="group" aria-label="Branches">
      {to(branches[at - 1], "Previous branch", ChevronLeft)}
      {at + 1}/{branches.length}
      {to(branches[at + 1], "Next branch", ChevronRight)}
      <Problem error={problem} />
    </span>
  )
}

const Editor = ({ conversation, done, turn }: BranchProps & { readonly done: () => void }) => {
  const [text, setText] = useState(turn.input)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() === "") return
        done()
        void conversation.send({ message: text }, undefined, turn)
      }}
    >
      <textarea
        aria-label="Edited message"
        dir="auto"
        rows={Math.min(10, Math.max(2, text.split("\n").length))}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p class="actions">
        <button type="button" onClick={done}>Cancel</button>
        <button class="primary" aria-label="Send it again" disabled={text.trim() === ""}>Send</button>
      </p>
    </form>
  )
}

interface Props {
  /** How many branches there are at this place. */
  readonly branches: number
  /** Another turn executes. */
  readonly isBusy: boolean
  readonly turn: Turn.Turn
  readonly version: number
  readonly isLast: boolean
  readonly conversation: Conversation
}

export const TurnView = memo(
  ({ conversation, isBusy, isLast, turn }: Props) => {
    const [isEdited, setEdited] = useState(false)
    const { again, error, files, followups = [], input, requirements, root } = turn
    const { id, kind } = conversation.target
    const mayDecide = may(`${kind}s:run`, id)
    return (
      <article class="turn" aria-busy={root.state === "executing"}>
        <div class="input">
          {isEdited
            ? <Editor conversation={conversation} turn={turn} done={() => setEdited(false)} />
            : <p dir="auto">{input.length > 20_000 ? `${input.slice(0, 20_000)} …` : input}</p>}
          {files.length === 0 ? null : (
            <p class="quiet">
              <Icon of={Paperclip} /> {files.join(", ")}
            </p>
          )}
        </div>
        {isEdited ? null : (
          <div class="toolbar of-input">
            <Copy text={() => input} label="Copy" />
            {isBusy || !mayDecide
              ? null
              : <IconButton of={Pencil} label="Edit" onClick={() => setEdited(true)} />}
          </div>
        )}
        <div class="answer">
          <Parts parts={root.parts} isPaused={root.state === "paused"} />
          {root.state === "executing" ? <Elapsed /> : null}
          {root.state === "cancelled" ? <p class="quiet">Cancelled</p> : null}
          <Problem error={error} retry={again} isDecision={root.state !== "failed"} />
          <div hidden={root.state !== "paused"}>
            {mayDecide && requirements.length > 0
              ? (
                <CallDecisions
                  key={requirements[0]?.id}
                  requirements={requirements}
                  decide={(decisions) => conversation.decide(turn, decisions)}
                />
              )
              : null}
            {mayDecide
              ? (
                <StepDecisions
                  steps={turn.stepRequirements}
                  errors={turn.errorRequirements}
                  decide={(decisions) => conversation.decide(turn, decisions)}
                />
              )
              : null}
          </div>
          {root.state === "executing" ? null : (
            <div class="toolbar">
              <Copy text={() => textOf(root.parts)} label="Copy the answer" />
              {isBusy || !mayDecide || isEdited ? null : (
                <IconButton
                  of={RefreshCw}
                  label="Answer again"
                  onClick={() => void conversation.send({ message: input }, undefined, turn)}
                />
              )}
              {turn.run !== undefined && features.value.includes("feedback") && may("evals:write")
                ? <Votes run_id={turn.run.run_id} session_id={turn.run.session_id} />
                : null}
              {turn.run !== undefined && features.value.includes("evaluation") && may("evals:write")
                ? (
                  <a
                    class="icon-button"
                    aria-label="Add to a dataset"
                    title="Add to a dataset"
                    href={href(["runs", turn.run.run_id], { session: turn.run.session_id, tab: "dataset" })}
                  >
                    <Icon of={Database} />
                  </a>
                )
                : null}
              {isBusy || isEdited || !mayDecide || !may("sessions:write")
                ? null
                : <Branches conversation={conversation} turn={turn} />}
              <Figures turn={turn} />
            </div>
          )}
          {isLast && followups.length > 0 && may(`${kind}s:run`, id)
            ? (
              <p class="followups" role="group" aria-label="Suggested messages">
                {followups.map((text) => (
                  <button
                    key={text}
                    type="button"
                    onClick={() => void conversation.send({ message: text })}
                  >
                    {text}
                  </button>
                ))}
              </p>
            )
            : null}
        </div>
      </article>
    )
  },
  (before, after) =>
    before.turn === after.turn && before.version === after.version && before.isLast === after.isLast &&
    before.isBusy === after.isBusy && before.branches === after.branches
)
