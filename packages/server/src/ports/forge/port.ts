// The git host: who an account is there, and which of its repositories the platform may use.
export interface ForgeInstallation {
  id: number
  /** The account or organization at the git host that it covers. */
  account: string
}

export interface Forge {
  installationsOf(account: { id: string; login: string; forgeId: number }): Promise<ForgeInstallation[]>
  /** What an installation covers, known from its row alone. */
  installationAccount(id: number, sharedBy: string): string
  /** Where one more installation is made; null where there is nothing to install. */
  readonly installUrl: string | null
  avatarUrl(login: string): string
}
