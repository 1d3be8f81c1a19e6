// One variant: its fields, and its answer.
import type { ComponentConfigResponse } from "@svc-runtime/client"
import { X } from "lucide"
import { isExecuting } from "../chat/Turn.ts"
import { TurnView } from "../chat/TurnView.tsx"
import { currentLabel } from "../components/currentLabel.ts"
import type { Resource } from "../config/config.ts"
import { ConfigFields } from "../config/ConfigFields.tsx"
import { IconButton } from "../parts/Icon.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { Action } from "../resources/Action.tsx"
import type { Found } from "./Found.ts"
import type { Place, Variant, Version } from "./Variant.ts"

export const inCode = "code"

export const versionText = (version: Version): string => version === undefined ? inCode : String(version)

interface VariantProps {
  readonly found: Found
  readonly place: Place
  readonly variant: Variant
  readonly resources: ReadonlyArray<Resource>
  readonly choose: (version: Version) => void
  readonly remove: (() => void) | undefined
  readonly others: ReadonlyArray<Version>
  /** The versions have changed. */
  readonly changed: () => void
}

const titleOf = ({ current }: Found, { label, stage, version }: ComponentConfigResponse): string =>
  [`Version ${version}`, version === current ? "current" : stage === "draft" ? "draft" : undefined, label]
    .filter((part) => part !== undefined).join(", ")

const Publishing = ({ changed, found: { current, name }, others, place, variant }: VariantProps) => {
  const { stage, version: { value: version } } = variant
  if (variant.isChanged()) {
    return (
      <Action scope="components:write" run={() => variant.save(place, others)} done={changed}>
        Save as a draft
      </Action>
    )
  }
  if (version === undefined || version === current) return null
  return (
    <Action
      scope="components:write"
      isPrimary
      question={`Make version ${version} the one that all new runs of "${
        place.code === undefined ? name : place.storeId
      }" use?`}
      run={() => variant.publish(place)}
      done={changed}
    >
      {stage.value === "draft" ? `Publish version ${version}` : currentLabel(version, current)}
    </Action>
  )
}

export const VariantCard = (props: VariantProps) => {
  const { choose, found, place, remove, resources, variant } = props
  const { config: { value: config }, version: { value: version } } = variant
  const isChanged = variant.isChanged()
  return (
    <section class={`variant card of-${variant.name.toLowerCase()}`} aria-label={`Variant ${variant.name}`}>
      <header>
        <span class="letter">{variant.name}</span>
        <select
          aria-label={`Version of variant ${variant.name}`}
          value={versionText(version)}
          onChange={({ currentTarget: { value } }) => {
            if (isChanged && !confirm("Leave the changes that are not saved?")) return
            variant.saved.value = undefined
            choose(value === inCode ? undefined : Number(value))
          }}
        >
          {found.code === undefined ? null : <option value={inCode}>In code</option>}
          {found.versions.map((each) => <option key={each.version} value={each.version}>{titleOf(found, each)}
          </option>)}
          {version === undefined || found.versions.some((each) => each.version === version)
            ? null
            : <option value={version}>Version {version}</option>}
        </select>
        {isChanged ? <Status value="changed" /> : null}
        <span class="space" />
        {isChanged
          ? (
            <button type="button" class="plain" onClick={() => variant.config.value = variant.saved.value}>
              Discard
            </button>
          )
          : null}
        <Publishing {...props} />
        {remove === undefined
          ? null
          : <IconButton of={X} label={`Remove variant ${variant.name}`} onClick={remove} />}
      </header>
      <Problem error={variant.problem.value} />
      {config === undefined ? null : (
        <ConfigFields
          kind={place.kind}
          config={config}
          change={(next) => variant.config.value = next}
          resources={resources}
          components={found.components.filter(({ id }) => id !== place.id && id !== place.storeId)}
        />
      )}
    </section>
  )
}

export const Answer = ({ variant }: { readonly variant: Variant }) => {
  const { conversation: { value: conversation }, name } = variant
  // each change of the run is a frame, and draws it again
  const isBegun = (conversation?.frame.value ?? -1) >= 0
  const turns = isBegun ? conversation?.turns.value ?? [] : []
  const last = turns.at(-1)
  return (
    <section class={`output card of-${name.toLowerCase()}`} aria-label={`Answer of variant ${name}`}>
      <header>
        <span class="letter">{name}</span>
        <h2>Answer</h2>
      </header>
      {conversation === undefined || last === undefined
        ? <p class="quiet">Run an input: the answer is here, with its tokens, cost and time.</p>
        : turns.map((turn) => (
          <TurnView
            key={turn.key}
            turn={turn}
            version={turn.version}
            isLast={turn === last}
            isBusy={isExecuting(last)}
            branches={conversation.branchesOf(turn).length}
            conversation={conversation}
          />
        ))}
    </section>
  )
}
