// Authentication for every transport. It requires the store of service accounts.
import { Authenticator, ServiceAccounts, TokenVerifier } from "@svc/auth"
import { Layer } from "effect"
import type { Access } from "./AuthorizationOptions.ts"

export const layer = ({ serviceAccountCacheSeconds, settings }: Access) =>
  Authenticator.layer(settings).pipe(
    Layer.provide(settings.mode === "jwt" ? TokenVerifier.layerJwt(settings.jwt) : TokenVerifier.layerDisabled),
    Layer.provideMerge(
      ServiceAccounts.layer({ adminScope: settings.adminScope, cacheSeconds: serviceAccountCacheSeconds })
    )
  )
