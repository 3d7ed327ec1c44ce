// The built-in forge: every account has one installation, its own repositories.
import type { Forge } from './port.ts'

export const builtinForge = (dashboard: string): Forge => ({
  installationsOf: async account => [{ id: account.forgeId, account: account.login }],
  avatarUrl: login => `${dashboard}/avatars/${encodeURIComponent(login)}.svg`,
})
