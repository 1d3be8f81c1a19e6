export { isAccountToken } from "./AccountToken.ts"
export { type Algorithm, isAlgorithm } from "./Algorithm.ts"
export { type AuthenticationFailure, Authenticator } from "./Authenticator.ts"
export { CredentialMissing, KeyRejected, KeysUnusable, TokenRejected } from "./AuthErrors.ts"
export { type AuthSettings, defaultJwt, type JwtSettings, open as openSettings } from "./AuthSettings.ts"
export * as FailedAttempts from "./FailedAttempts.ts"
export * as InternalToken from "./InternalToken.ts"
export * as Jwt from "./Jwt.ts"
export { type Claims } from "./JwtClaims.ts"
export * as JwtClaims from "./JwtClaims.ts"
export * as JwtKeys from "./JwtKeys.ts"
export { AuthorizationServer, isRegistered, lifetimes } from "./oauth/AuthorizationServer.ts"
export { ClientDocuments } from "./oauth/Clients.ts"
export * as GrantTokens from "./oauth/GrantTokens.ts"
export { OAuthError } from "./oauth/OAuthError.ts"
export {
  type AuthorizationRequest,
  type Client,
  type ClientLimits,
  type Code,
  type Grant,
  OAuthStore,
  type Token,
  type WaitingLimits
} from "./oauth/OAuthStore.ts"
export { OAuthTokens } from "./oauth/OAuthTokens.ts"
export * as RedirectUri from "./oauth/RedirectUri.ts"
export * as RemoteKeys from "./oauth/RemoteKeys.ts"
export { Roles, StoredRoles } from "./Roles.ts"
export {
  InvalidAccountToken,
  InvalidScopes,
  MintingRejected,
  PrivilegedScopes,
  ScopesNotHeld,
  ServiceAccountNameTaken,
  ServiceAccountNotFound,
  TenantNotGranted,
  TooManyAttempts
} from "./ServiceAccountErrors.ts"
export {
  type AccountEnd,
  type DeclaredAccount,
  type EndsWithAccount,
  isActiveIn,
  problemOfScope,
  ServiceAccounts
} from "./ServiceAccounts.ts"
export { type AccountFilter, type AccountPage, type AccountSort, ServiceAccountStore } from "./ServiceAccountStore.ts"
export { TokenVerifier } from "./TokenVerifier.ts"
