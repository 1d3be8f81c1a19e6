export * as Migrations from "./Migrations.ts"
export * as SqlRunStore from "./SqlRunStore.ts"
export * as SqlServiceAccountStore from "./SqlServiceAccountStore.ts"
export * as SqlSessionStore from "./SqlSessionStore.ts"
