// The commands of git integration: the repository of a project, and its builds.
import { inGroup } from '../command.ts'

export const gitCommands = inGroup('Deployments', {
  git: {
    summary: 'Show the repository and its builds',
    options: ['json'],
    load: async () => (await import('../commands/git/show.ts')).showGit,
  },
  'git connect': {
    summary: 'Deploy a repository on each push',
    args: ['<owner/repo>'],
    options: ['branch', 'build-cmd', 'install-cmd', 'output', 'root', 'no-previews', 'json'],
    details:
      'Pushes to the production branch (--branch, main by default) go live; other branches get a preview each, unless --no-previews is given. What is not said is detected: package manager, build command and output folder. A repository that the platform hosts is made where it is missing, and the command shows how to push to it.',
    load: async () => (await import('../commands/git/connect.ts')).connectRepo,
  },
  'git build': {
    summary: 'Build the newest commit now',
    options: ['branch', 'json'],
    details:
      'Shows the log until the build ends, and exits 1 where it failed. Ctrl-C stops the showing, not the build.',
    load: async () => (await import('../commands/git/builds.ts')).buildNow,
  },
  'git log': {
    summary: 'Show the log of the last build, or of one',
    args: ['[build-id]'],
    options: ['follow'],
    details: 'The header goes to stderr, the log to stdout. --follow goes on until the build ends.',
    load: async () => (await import('../commands/git/builds.ts')).showLog,
  },
  'git cancel': {
    summary: 'Cancel a queued or running build',
    args: ['<build-id>'],
    load: async () => (await import('../commands/git/builds.ts')).cancelBuild,
  },
  'git disconnect': {
    summary: 'Stop building from the repository',
    details: 'Deployments and the repository itself stay as they are.',
    load: async () => (await import('../commands/git/connect.ts')).disconnectRepo,
  },
})
