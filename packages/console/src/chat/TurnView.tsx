// A turn, as people read it.
import { memo } from "preact/compat"
import { useEffect, useState } from "preact/hooks"
import { Folded, Json } from "../parts/Json.tsx"
import { Markdown } from "../parts/Markdown.tsx"
import { parsed } from "../parts/parsed.ts"
import { Problem } from "../parts/Problem.tsx"
import { duration as durationOf } from "../parts/Time.tsx"
import { href } from "../Route.ts"
import { may } from "../service/Caller.ts"
import { CallDecisions } from "./CallDecisions.tsx"
import type { Conversation } from "./Conversation.ts"
import { MediumView } from "./MediumView.tsx"
import { StepDecisions } from "./StepDecisions.tsx"
import type * as Turn from "./Turn.ts"
import type { Sources } from "./Turn.ts"

// What an answer is based on: pages that the model named, and passages of knowledge.
const isPage = (url: string): boolean => /^https?:/i.test(url)

const SourcesView = ({ sources: { citations, references } }: { readonly sources: Sources }) => (
  <div class="sources">
    {citations?.urls === undefined || citations.urls.length === 0 ? null : (
      <ul>
        {citations.urls.map(({ title, url }) => (
          <li key={url}>
            {isPage(url)
              ? <a href={url} target="_blank" rel="noopener noreferrer">{title ?? url}</a>
              : (title ?? url)}
          </li>
        ))}
      </ul>
    )}
    <Folded title="Cited documents" value={citations?.documents} />
    <Folded title="Passages of knowledge" value={references.length === 0 ? undefined : references} />
  </div>
)

const CallView = ({ call: { state, tool } }: { readonly call: Turn.Call }) => (
  <details class={`call ${state}`}>
    <summary>
      <code>{tool.tool_name}</code> <span class="quiet">{state}</span>
    </summary>
    <p class="label">Arguments</p>
    <Json value={tool.tool_args} />
    {tool.result === null ? null : <p class="label">Result</p>}
    {tool.result === null ? null : <Json value={parsed(tool.result) ?? tool.result} />}
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
      <summary>Reasoning</summary>
      <Markdown text={text} />
    </details>
  )
}

const PartView = ({ isLast, part }: { readonly part: Turn.Part; readonly isLast: boolean }) => {
  switch (part.type) {
    case "text":
      return <Markdown text={part.text} />
    case "reasoning":
      return <Reasoning text={part.text} isOpen={isLast} />
    case "call":
      return <CallView call={part} />
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
            {part.title} <span class="quiet">{part.state}</span>
          </summary>
          <Parts parts={part.parts} />
        </details>
      )
  }
}

const Parts = ({ parts }: { readonly parts: ReadonlyArray<Turn.Part> }) => (
  <>{parts.map((part, index) => <PartView key={index} part={part} isLast={index === parts.length - 1} />)}</>
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
  <p class="figures quiet">
    {[
      ...(duration === undefined ? [] : [durationOf(duration * 1000)]),
      ...(tokens === undefined ? [] : [`${tokens.toLocaleString()} tokens`]),
      ...(cost === undefined ? [] : [`$${cost.toFixed(4)}`])
    ].join(" · ")} {run === undefined
      ? null
      : <a href={href(["runs", run.run_id], { session: run.session_id })}>Look at the run</a>}
  </p>
)

// What a person changes in a conversation: a message is edited, an answer made again, and another branch shown.
interface BranchProps {
  readonly turn: Turn.Turn
  readonly conversation: Conversation
}

const Branches = ({ conversation, turn }: BranchProps) => {
  const [problem, setProblem] = useState<unknown>(undefined)
  const branches = conversation.branchesOf(turn)
  const at = branches.indexOf(turn)
  const to = (other: Turn.Turn | undefined, name: string, text: string) => (
    <button
      type="button"
      aria-label={name}
      disabled={other === undefined}
      onClick={() => {
        if (other !== undefined) conversation.show(other).catch(setProblem)
      }}
    >
      {text}
    </button>
  )
  return branches.length < 2 || at < 0 ? null : (
    <span role="group" aria-label="Branches">
      {to(branches[at - 1], "Previous branch", "‹")} {at + 1}/{branches.length}{" "}
      {to(branches[at + 1], "Next branch", "›")}
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
        rows={Math.min(10, Math.max(2, text.split("\n").length))}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p class="actions">
        <button type="button" onClick={done}>Keep</button>
        <button class="primary" disabled={text.trim() === ""}>Send the edited message</button>
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
    const { again, error, files, followups = [], input, requirements, root, stepRequirements } = turn
    const { id, kind } = conversation.target
    const mayDecide = may(`${kind}s:run`, id)
    return (
      <article class="turn" aria-busy={root.state === "executing"}>
        <div class="input">
          {isEdited
            ? <Editor conversation={conversation} turn={turn} done={() => setEdited(false)} />
            : <p>{input.length > 20_000 ? `${input.slice(0, 20_000)} …` : input}</p>}
          {files.length === 0 ? null : <p class="quiet">{files.join(", ")}</p>}
        </div>
        <div class="answer">
          <Parts parts={root.parts} />
          {root.state === "executing" ? <Elapsed /> : null}
          {root.state === "cancelled" ? <p class="quiet">Cancelled</p> : null}
          <Problem error={error} retry={again} />
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
            {mayDecide && stepRequirements.length > 0
              ? (
                <StepDecisions
                  key={`${stepRequirements.length} ${stepRequirements.at(-1)?.step_id}`}
                  requirements={stepRequirements}
                  decide={(decisions) => conversation.decide(turn, decisions)}
                />
              )
              : null}
          </div>
          {root.state === "executing" ? null : <Figures turn={turn} />}
          {isBusy || !mayDecide || isEdited ? null : (
            <p class="changes">
              <button type="button" onClick={() => setEdited(true)}>Edit</button>{" "}
              <button type="button" onClick={() => void conversation.send({ message: input }, undefined, turn)}>
                Answer again
              </button>{" "}
              {may("sessions:write") ? <Branches conversation={conversation} turn={turn} /> : null}
            </p>
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
