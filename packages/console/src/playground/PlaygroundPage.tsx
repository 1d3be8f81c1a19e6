// The playground: a component with changed instructions, model, settings or tools answers an input or a dataset, beside
// another version of it. What is better is published.
import type { Kind } from "@svc-runtime/client"
import { Columns2 } from "lucide"
import { useEffect, useMemo, useState } from "preact/hooks"
import { isExecuting } from "../chat/Turn.ts"
import { baseOf, configOfCode, type Resource } from "../config/config.ts"
import { Difference } from "../config/Difference.tsx"
import { useResources } from "../config/useResources.ts"
import { scorersOf } from "../experiments/scorers.ts"
import { Icon } from "../parts/Icon.tsx"
import { Problem } from "../parts/Problem.tsx"
import { go, href, query, route, whole } from "../Route.ts"
import { caller, may, mayOpen } from "../service/Caller.ts"
import { kindOf } from "../service/components.ts"
import { svc, untilAccepted } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { find, type Found } from "./Found.ts"
import { DatasetForm, MessageForm } from "./Inputs.tsx"
import { type Place, Variant, type Version } from "./Variant.ts"
import { Answer, inCode, VariantCard, versionText } from "./VariantCard.tsx"

const useVariant = (variant: Variant, place: Place, wanted: Version, isShown: boolean) => {
  const { storeId } = place
  useEffect(() => {
    const isOpen = variant.saved.value !== undefined && variant.version.value === wanted
    if (!isShown || isOpen) return
    const control = new AbortController()
    variant.open(place, wanted, control.signal).catch((error: unknown) => {
      if (!control.signal.aborted) variant.problem.value = error
    })
    return () => control.abort()
  }, [variant, storeId, wanted, isShown])
}

/** What was changed stays for the tab, until it is saved or another person signs in. */
const kept = new Map<string, readonly [Variant, Variant]>()

const variantsOf = (component: string, one: Version, two: Version): readonly [Variant, Variant] => {
  const key = `${caller.value?.user_id ?? ""} ${component}`
  const known = kept.get(key)
  // a version that was not changed here may have been changed elsewhere
  known?.forEach((variant) => variant.forget())
  const variants = known ?? [new Variant("A", one), new Variant("B", two)] as const
  kept.set(key, variants)
  return variants
}

/** The value after the person has stopped typing for a moment. */
const useSettled = <A extends ReadonlyArray<unknown>>(value: A): A => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), 200)
    return () => clearTimeout(timer)
  }, value)
  return settled
}

interface BenchProps {
  readonly kind: Kind
  readonly id: string
  readonly found: Found
  readonly resources: ReadonlyArray<Resource>
  readonly reload: () => void
}

const tabs = ["message", "dataset"] as const

const Bench = ({ found, id, kind, reload, resources }: BenchProps) => {
  const { query: { a, b, tab = "message" } } = route.value
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(undefined)
  const code = useMemo(
    () => found.code === undefined ? undefined : { base: id, ...configOfCode(found.code, resources) },
    [found.code, resources]
  )
  const place: Place = {
    kind,
    id,
    code,
    baseOf: (config) => baseOf(config, kind, found.components, resources),
    storeId: found.storeId,
    storeName: `${found.name} (copy)`,
    isStored: found.isStored
  }
  const first = found.code === undefined ? found.current ?? found.versions[0]?.version : undefined
  const wanted = (text: string | undefined): Version => text === inCode ? undefined : whole(text) ?? first
  const [one, two] = useMemo(() => variantsOf(`${kind}/${id}`, wanted(a), wanted(b)), [kind, id])
  const shown = b === undefined ? [one] : [one, two]
  useVariant(one, place, wanted(a), true)
  useVariant(two, place, wanted(b), b !== undefined)
  useEffect(() => () => [one, two].forEach((variant) => variant.leave()), [one, two])
  useEffect(() => {
    // the browser asks whether unsaved changes may go
    const ask = (event: BeforeUnloadEvent) => {
      if ([one, two].some((variant) => variant.isChanged())) event.preventDefault()
    }
    addEventListener("beforeunload", ask)
    return () => removeEventListener("beforeunload", ask)
  }, [one, two])

  const address = () => {
    query({ a: versionText(one.version.value), ...(b === undefined ? {} : { b: versionText(two.version.value) }) })
    reload()
  }
  const changed = () => address()
  const othersOf = (variant: Variant) => shown.filter((each) => each !== variant).map(({ version }) => version.value)
  const saveAll = async () => {
    for (const variant of shown) {
      // the first one may have made the component
      const isStored = place.isStored || shown.some(({ version }) => version.value !== undefined)
      await untilAccepted(() => variant.save({ ...place, isStored }, othersOf(variant)))
    }
    address()
  }
  const run = async (message: string) => {
    setBusy(true)
    setProblem(undefined)
    try {
      await saveAll()
      await Promise.all(shown.map((variant) => variant.run(place, message)))
    } catch (error) {
      setProblem(error)
    }
    setBusy(false)
  }
  const stop = () =>
    shown.forEach(({ conversation: { value: conversation } }) => {
      const last = conversation?.turns.value.at(-1)
      if (conversation !== undefined && last !== undefined && isExecuting(last)) {
        conversation.cancel(last).catch(setProblem)
      }
    })
  const start = async (dataset_id: string, values: Readonly<Record<string, string>>) => {
    await saveAll()
    const started: Array<string> = []
    for (const variant of shown) {
      const { id } = variant.target(place)
      const { value: version } = variant.version
      const { id: experiment } = await svc().experiments.create({
        dataset_id,
        [`${kind}_id`]: id,
        name: version === undefined ? `${found.name}, in code` : `${found.name}, version ${version}`,
        scorers: scorersOf(values),
        concurrency: 4,
        ...(version === undefined ? {} : { component_version: version })
      })
      started.push(experiment)
    }
    const [base, other = base] = started
    go(href(["experiments", other ?? ""], base === other ? {} : { base }))
  }
  const names = shown.map(({ name }) => name)
  const [before, after] = useSettled([one.config.value, two.config.value] as const)
  return (
    <>
      {found.code === undefined || found.isStored
        ? null
        : (
          <p class="note">
            This {kind} is in code. What you change here is saved as a draft of the stored component{" "}
            <input
              aria-label="Id of the stored component"
              value={found.storeId}
              size={Math.max(8, found.storeId.length)}
              onChange={({ currentTarget: { value } }) => query({ store: value.trim() })}
            />{" "}
            and changes no code. Everything else, such as its hooks, stays as in code.
          </p>
        )}
      <div class={b === undefined ? "bench" : "bench two"}>
        {shown.map((variant) => (
          <VariantCard
            key={variant.name}
            found={found}
            place={place}
            variant={variant}
            resources={resources}
            others={othersOf(variant)}
            changed={changed}
            choose={(version) => query({ [variant.name.toLowerCase()]: versionText(version) })}
            remove={variant === two ? () => query({ b: undefined }) : undefined}
          />
        ))}
        <section class="inputs card" aria-label="Input">
          <nav class="tabs" aria-label="What the variants get">
            {tabs.filter((name) => name === "message" || (mayOpen("datasets") && may("evals:write"))).map((name) => (
              <button key={name} type="button" aria-pressed={tab === name} onClick={() => query({ tab: name })}>
                {name}
              </button>
            ))}
          </nav>
          {!may(`${kind}s:run`, id)
            ? <p class="quiet">Your token may not run this.</p>
            : tab === "dataset"
            ? <DatasetForm names={names} start={start} />
            : <MessageForm isBusy={isBusy} names={names} run={(message) => void run(message)} stop={stop} />}
          <Problem error={problem} />
        </section>
        {shown.map((variant) => <Answer key={variant.name} variant={variant} />)}
      </div>
      {b === undefined || before === undefined || after === undefined
        ? null
        : (
          <section class="part">
            <h2>What differs from A to B</h2>
            <Difference title="Instructions from A to B" before={before} after={after} />
          </section>
        )}
    </>
  )
}

export const PlaygroundPage = () => {
  const { path: [, text, id = ""], query: { b, store } } = route.value
  const kind = kindOf(text)
  const { problem, reload, value: found } = useLoaded(
    (signal) => kind === undefined ? Promise.resolve(undefined) : find(kind, id, store, signal),
    [kind, id, store]
  )
  const { problem: unread, value: resources } = useResources()
  return (
    <section class="page playground">
      <header class="head">
        <div>
          <p class="quiet">
            <a href={href(["playground"])}>Playground</a>
          </p>
          <h1>{found?.name ?? id}</h1>
        </div>
        {found === undefined || kind === undefined ? null : (
          <p class="actions">
            {b === undefined
              ? (
                <button type="button" onClick={() => query({ b: route.value.query.a ?? first(found) })}>
                  <Icon of={Columns2} /> Compare two
                </button>
              )
              : null}
            {found.isStored && mayOpen("components")
              ? <a class="button" href={href(["components", found.storeId])}>Versions</a>
              : null}
            <a class="button" href={href(["chat", kind, id])}>Chat</a>
          </p>
        )}
      </header>
      <Problem error={problem ?? unread} retry={reload} />
      {found === undefined || kind === undefined || (resources === undefined && unread === undefined)
        ? null
        : (
          <Bench
            key={`${kind} ${id} ${found.storeId}`}
            kind={kind}
            id={id}
            found={found}
            resources={resources ?? []}
            reload={reload}
          />
        )}
    </section>
  )
}

/** The version that a page without a choice shows. */
const first = ({ code, current, versions }: Found): string =>
  code === undefined ? String(current ?? versions[0]?.version ?? 1) : inCode
