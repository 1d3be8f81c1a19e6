// The sign-in at the authorization server of the service: an authorization code with PKCE. The page keeps the token for
// the tab, and no address has it.
import { signal } from "@preact/signals"
import { inTab } from "../storage.ts"

interface Settings {
  readonly issuer: string
  readonly client_id: string
  readonly resource: string | null
}

interface Metadata {
  readonly issuer?: string
  readonly authorization_endpoint?: string
  readonly token_endpoint?: string
}

/** What the page has to know when the person comes back. */
interface Begun {
  readonly settings: Settings
  readonly tokenEndpoint: string
  readonly verifier: string
  readonly state: string
  /** Where the person was. */
  readonly hash: string
}

const key = "svc.sign-in"

/** Why the last sign-in failed. */
export const failure = signal<unknown>(undefined)

export const settingsOf = async (signal: AbortSignal): Promise<Settings | undefined> => {
  const response = await fetch("sign-in.json", { signal })
  const { oauth } = await response.json() as { readonly oauth: Settings | null }
  return oauth ?? undefined
}

const base64 = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")

const random = (): string => base64(crypto.getRandomValues(new Uint8Array(32)))

/** The digest is missing on pages without TLS. */
const requireTls = () => {
  if (!isSecureContext) {
    throw new Error("The browser can sign in only over https. Open the console by its https address.")
  }
}

const challengeOf = async (verifier: string): Promise<string> =>
  base64(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))))

/** OAuth inserts its name before the path of the issuer, and OpenID Connect appends it. */
const addressesOf = (issuer: string): ReadonlyArray<string> => {
  const { origin, pathname } = new URL(issuer)
  return [
    `${origin}/.well-known/oauth-authorization-server${pathname.replace(/(?<!\/)\/+$/, "")}`,
    `${issuer.replace(/(?<!\/)\/+$/, "")}/.well-known/openid-configuration`
  ]
}

const discover = async ({ issuer }: Settings): Promise<Required<Metadata>> => {
  for (const address of addressesOf(issuer)) {
    const response = await fetch(address)
    if (!response.ok) continue
    const found = await response.json() as Metadata
    const { authorization_endpoint, token_endpoint } = found
    if (found.issuer !== issuer) throw new Error(`${address} is of another issuer: ${found.issuer}`)
    const { origin } = new URL(issuer)
    const isOwn = (url: string | undefined): url is string => url !== undefined && new URL(url).origin === origin
    if (!isOwn(authorization_endpoint) || !isOwn(token_endpoint)) {
      throw new Error(`The endpoints of ${issuer} are on another host`)
    }
    return { issuer, authorization_endpoint, token_endpoint }
  }
  throw new Error(`${issuer} has no metadata`)
}

const redirectUri = (): string => `${location.origin}${location.pathname}`

/** Goes to the authorization server. */
export const begin = async (settings: Settings): Promise<void> => {
  requireTls()
  const { authorization_endpoint, token_endpoint } = await discover(settings)
  const begun: Begun = {
    settings,
    tokenEndpoint: token_endpoint,
    verifier: random(),
    state: random(),
    hash: location.hash
  }
  inTab.set(key, JSON.stringify(begun))
  const url = new URL(authorization_endpoint)
  const fields = {
    response_type: "code",
    client_id: settings.client_id,
    redirect_uri: redirectUri(),
    state: begun.state,
    code_challenge: await challengeOf(begun.verifier),
    code_challenge_method: "S256",
    ...(settings.resource === null ? {} : { resource: settings.resource })
  }
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
  location.assign(url)
}

const redeem = async (authorization: URLSearchParams, begun: Begun): Promise<string> => {
  const { settings: { client_id, issuer, resource }, state, tokenEndpoint, verifier } = begun
  const [code, error, iss] = [authorization.get("code"), authorization.get("error"), authorization.get("iss")]
  if (authorization.get("state") !== state) throw new Error("The response is of another sign-in. Sign in again.")
  if (iss !== null && iss !== issuer) throw new Error(`The response is of another issuer: ${iss}`)
  if (code === null) throw new Error(`The sign-in was refused: ${authorization.get("error_description") ?? error}`)
  const response = await fetch(tokenEndpoint, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri(),
      client_id,
      code_verifier: verifier,
      ...(resource === null ? {} : { resource })
    })
  })
  const { access_token: token } = await response.json() as { readonly access_token?: unknown }
  if (!response.ok || typeof token !== "string") throw new Error(`${issuer} gave no token (${response.status})`)
  return token
}

/** The token, if the person comes back from the authorization server. The address loses the response at once. */
export const finish = async (): Promise<string | undefined> => {
  const authorization = new URLSearchParams(location.search)
  if (!authorization.has("state")) return undefined
  const stored = inTab.get(key)
  inTab.remove(key)
  const begun = stored === undefined ? undefined : JSON.parse(stored) as Begun
  history.replaceState(null, "", `${location.pathname}${begun?.hash ?? ""}`)
  try {
    if (begun === undefined) throw new Error("The response is of another sign-in. Sign in again.")
    return await redeem(authorization, begun)
  } catch (error) {
    failure.value = error
    return undefined
  }
}
