// The page of a closed service before a token is given.
import { useEffect, useRef, useState } from "preact/hooks"
import { Problem } from "../parts/Problem.tsx"
import { caller } from "./Caller.ts"
import { begin, failure, settingsOf } from "./OAuth.ts"
import { callerOf, enter, info, signIn, token } from "./Service.ts"

const explanations = {
  jwt: "The service reads JSON Web Tokens, and tokens of service accounts.",
  security_key: "The service has a security key: paste it, or the token of a service account.",
  none: ""
}

export const SignIn = () => {
  const [given, setGiven] = useState("")
  const [keep, setKeep] = useState(true)
  const [problem, setProblem] = useState<unknown>(undefined)
  const [isChecking, setChecking] = useState(false)
  const [oauth, setOAuth] = useState<Awaited<ReturnType<typeof settingsOf>>>(undefined)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    field.current?.focus()
    const control = new AbortController()
    settingsOf(control.signal).then(setOAuth, () => undefined)
    return () => control.abort()
  }, [])
  const submit = async (event: Event) => {
    event.preventDefault()
    const text = given.trim().replace(/^Bearer\s+/i, "")
    if (text === "") return
    setChecking(true)
    try {
      const next = await callerOf(text)
      // who it is comes first: requests that wait for the sign-in are of the person before
      if (caller.value !== undefined) enter(next)
      signIn(text, { keep })
    } catch (error) {
      setProblem(error)
    } finally {
      setChecking(false)
    }
  }
  return (
    <main class="sign-in">
      <form onSubmit={submit}>
        <h1>{info.value?.name ?? "Svc"}</h1>
        <p>{explanations[info.value?.auth_mode ?? "jwt"]}</p>
        {token.value === undefined ? null : <p role="status">The token was refused or has expired. Paste a new one.</p>}
        {oauth === undefined
          ? null
          : (
            <>
              <Problem error={failure.value} />
              <button type="button" class="primary" onClick={() => void begin(oauth).catch(setProblem)}>
                Sign in at {new URL(oauth.issuer).host}
              </button>
              <p class="quiet">Or paste a token.</p>
            </>
          )}
        <label>
          Token
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            ref={field}
            value={given}
            onInput={(event) => setGiven(event.currentTarget.value)}
          />
        </label>
        <label class="check">
          <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} />
          Keep it until this tab is closed
        </label>
        <Problem error={problem} />
        <button class="primary" disabled={isChecking || given.trim() === ""}>Sign in</button>
      </form>
    </main>
  )
}
