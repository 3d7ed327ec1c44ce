// The interface of the built-in forge. It looks like any other git host to the rest of the platform.
interface ForgeInstallation {
  id: number
  /** The account or organization at the git host whose repositories the installation covers. */
  account: string
}

export interface Forge {
  installationsOf(account: { id: string; login: string; forgeId: number }): Promise<ForgeInstallation[]>
  avatarUrl(login: string): string
}
