// The built-in forge as other parts of the platform see a git host.
interface ForgeInstallation {
  id: number
  /** The account or organization at the git host that it covers. */
  account: string
}

export interface Forge {
  installationsOf(account: { id: string; login: string; forgeId: number }): Promise<ForgeInstallation[]>
  avatarUrl(login: string): string
}
