// The console, once the service and the person are known.
import { useEffect } from "preact/hooks"
import { Problem } from "./parts/Problem.tsx"
import { caller, features } from "./service/Caller.ts"
import { enter, info, isRefused, svc, token } from "./service/Service.ts"
import { SignIn } from "./service/SignIn.tsx"
import { useLoaded } from "./service/useLoaded.ts"
import { Away, Shell } from "./shell/Shell.tsx"

/** The pages stay while the person signs in again, with what was typed. */
const Entered = () => {
  const { problem, reload, value } = useLoaded((signal) => svc().system.caller({ signal }), [token.value])
  useEffect(() => {
    if (value !== undefined) enter(value)
  }, [value])
  const isOut = isRefused.value
  return (
    <>
      {isOut ? <SignIn /> : null}
      {caller.value === undefined
        ? isOut ? null : <Problem error={problem} retry={reload} />
        : (
          <div key={caller.value.user_id} class="entered" hidden={isOut}>
            <Shell />
          </div>
        )}
    </>
  )
}

export const App = () => {
  const { problem, reload, value } = useLoaded((signal) => svc().system.info({ signal }), [])
  useEffect(() => {
    if (value === undefined) return
    if (value.auth_mode !== "none" && token.value === undefined) isRefused.value = true
    features.value = value.features
    info.value = value
    document.title = value.name ?? "Svc"
  }, [value])
  if (info.value !== undefined) return <Entered />
  return (
    <main>
      {problem === undefined ? <Away /> : null}
      <Problem error={problem} retry={reload} />
    </main>
  )
}
