// What the server needs of the sandbox of apps. `compose` brings both together.

export interface Machine {
  /** Whether programs can be put into a sandbox here. */
  hasSandbox(): Promise<boolean>
  /** Tells the operator how to get one. */
  sandboxAdvice(): string
  /** A bubblewrap command line that shows only the system's programs and libraries. What it runs may outlive svcd. */
  systemSandbox(): string[]
  /** Options of bubblewrap that make the directories above a path. */
  parentsOf(file: string): string[]
  /** The path of a program of the system. */
  programAt(name: string): string | undefined
  /** A user that runs nothing else, if svcd is root. */
  userOf(id: string): number
  giveTo(user: number, dirs: readonly string[]): Promise<void>
}
