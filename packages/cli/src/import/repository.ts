// The git repository that the directory belongs to. Only git's settings are read, which runs no code of the repository.
import { realpathSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { git } from '../git.ts'

export interface Repository {
  /** `owner/name` at GitHub; undefined if the remote is elsewhere, or if there is none. */
  github: string | undefined
  /** The remote's default branch. Undefined if the local repository does not know it. */
  branch: string | undefined
  /** The path of the directory in the repository. Empty for its root. */
  folder: string
}

/** Undefined if the directory is in no repository, or if git is not installed. */
export async function findRepository(dir: string): Promise<Repository | undefined> {
  const top = await git(dir, 'rev-parse', '--show-toplevel')
  if (top === undefined) return undefined
  const remote = await git(dir, 'config', '--get', 'remote.origin.url')
  const head = await git(dir, 'symbolic-ref', '--short', 'refs/remotes/origin/HEAD')
  const current = await git(dir, 'symbolic-ref', '--short', 'HEAD')
  return {
    github: remote === undefined ? undefined : githubName(remote),
    branch:
      head?.replace(/^origin\//, '') ?? (current === 'main' || current === 'master' ? current : undefined),
    folder: relative(realpathSync(top), realpathSync(dir)).split(sep).join('/'),
  }
}

/** `git@github.com:acme/site.git` is `acme/site`. */
function githubName(remote: string): string | undefined {
  const [, name] =
    /^(?:https:\/\/(?:[^/@]{1,300}@)?|ssh:\/\/git@|git@|git:\/\/)github\.com[:/]([\w.-]{1,100}\/[\w.-]{1,100})$/i.exec(
      remote.replace(/\/$/, '').replace(/\.git$/, ''),
    ) ?? []
  return name
}
