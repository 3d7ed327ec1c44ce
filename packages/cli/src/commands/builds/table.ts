// The commands of git integration: the repository of a project, and its builds.
import { inGroup, onProject } from '../../command.ts'

const projectCommands = onProject('Deployments', {
  git: {
    summary: 'Show the repository and its builds',
    options: ['json'],
    load: async () => (await import('./show.ts')).showGit,
  },
  'git connect': {
    summary: 'Deploy a repository on each push',
    args: ['<owner/repo>'],
    options: [
      'branch',
      'build-cmd',
      'install-cmd',
      'output',
      'root',
      'no-previews',
      'forge',
      'token',
      'json',
    ],
    details:
      'Pushes to the production branch (--branch, main by default) go live; other branches get a preview each, unless --no-previews is given. What is not said is detected: package manager, build command and output folder. A repository that the platform hosts is created if it is missing. In a linked directory that is a git repository, the command adds the remote svc, and git gets your token from svc. For a repository at GitHub the command opens the page that installs the GitHub App where it is missing, and waits; Ctrl-C ends that. Without --forge, GitHub is looked at first. A public repository at any host is named by its URL, such as https://github.com/owner/name. One at GitLab, Gitea or Forgejo that is not public also needs an access token that may read it, add a webhook and set the status of commits: svc asks for it, or reads it from stdin with --token -.',
    load: async () => (await import('./connect.ts')).connectRepo,
  },
  'git build': {
    summary: 'Build the newest commit now, or a chosen one',
    options: ['branch', 'commit', 'json'],
    details:
      'With --commit, a commit that was built before is built for the same branch; for another one, name the branch. The build of the production branch goes live, also while production is locked. Shows the log until the build ends, and exits 1 where it failed. Ctrl-C stops the showing, not the build.',
    load: async () => (await import('./builds.ts')).buildNow,
  },
  'git lock': {
    summary: 'Lock production: pushes do not go live',
    details:
      'Pushes are built, and the deployments wait at their permanent URLs. A rollback locks production by itself. What you ask for goes live all the same: svc deploy, svc rollback, svc promote, svc redeploy and svc git build.',
    load: async () => (await import('./lock.ts')).lock,
  },
  'git unlock': {
    summary: 'Unlock production: the next push goes live',
    details:
      "What was built meanwhile does not go live by itself: 'svc rollback <deployment-id>' makes it live.",
    load: async () => (await import('./lock.ts')).unlock,
  },
  'git log': {
    summary: 'Show the log of the last build, or of one',
    args: ['[build-id]'],
    options: ['follow', 'timestamps'],
    details: 'The header goes to stderr, the log to stdout. --follow goes on until the build ends.',
    load: async () => (await import('./builds.ts')).showLog,
  },
  'git cancel': {
    summary: 'Cancel a queued or running build',
    args: ['<build-id>'],
    load: async () => (await import('./builds.ts')).cancelBuild,
    candidates: async () => (await import('../candidates.ts')).buildCandidates,
  },
  'git branches': {
    summary: 'List branches with their URLs; * is production',
    options: ['json'],
    isList: true,
    details:
      "Shown are the branch, its last build, the deployment that its URL shows, and its URL and domains. 'svc promote <deployment-id>' makes the deployment of a branch live.",
    load: async () => (await import('./branches.ts')).listBranches,
  },
  'git hooks': {
    summary: 'Show deploy hooks: URLs that build a branch',
    options: ['json'],
    isList: true,
    details:
      'Shown are id, name, branch and last use (UTC). A POST to the URL of a hook builds its branch: curl -X POST <url>',
    load: async () => (await import('./hooks.ts')).listHooks,
  },
  'git hooks add': {
    summary: 'Create a deploy hook',
    args: ['<name...>'],
    options: ['branch', 'json'],
    details:
      'Prints its URL, which is shown only once. Anyone who has the URL can start builds, so keep it secret. --branch says what it builds; without it, the production branch.',
    load: async () => (await import('./hooks.ts')).addHook,
  },
  'git hooks rm': {
    summary: 'Revoke a deploy hook',
    details: 'Its URL stops working at once.',
    args: ['<hook-id>'],
    aliases: ['remove', 'delete'],
    load: async () => (await import('./hooks.ts')).removeHook,
  },
  'git disconnect': {
    summary: 'Stop building from the repository',
    details: 'Deployments and the repository itself stay as they are.',
    load: async () => (await import('./connect.ts')).disconnectRepo,
  },
})

const accountCommands = inGroup('Deployments', {
  'git link': {
    summary: 'Link your account to your GitHub user',
    details:
      'For an account with a password, on a platform that uses GitHub. Shows a code to enter at GitHub. Afterwards you can connect the repositories that you may push to there.',
    load: async () => (await import('./link.ts')).linkGitHub,
  },
  'git unlink': {
    summary: 'Unlink your account from its GitHub user',
    details:
      'That user can no longer sign in to your account, and the dashboard ends its other sessions. Asks for the password of your account, or reads it from stdin. Tokens for the command line stay valid: svc tokens lists them.',
    load: async () => (await import('./link.ts')).unlinkGitHub,
  },
  'git repos': {
    summary: 'List the repositories that the platform hosts',
    options: ['json'],
    isList: true,
    details:
      'Shown are the repositories of you and your orgs, their sizes, and the projects that build from them. A full repository takes only pushes that make it smaller.',
    load: async () => (await import('./repos.ts')).listRepos,
  },
  'git repos rm': {
    summary: 'Delete a repository that the platform hosts',
    args: ['<owner/name>'],
    options: ['yes'],
    aliases: ['remove', 'delete'],
    details:
      'Its commits and branches are gone; deployments stay. A repository that a project builds from must be disconnected first. In an org, owners and admins can do this.',
    load: async () => (await import('./repos.ts')).removeRepo,
  },
  'git credential': {
    summary: 'Give git your token; git runs this itself',
    args: ['<operation>'],
    details:
      "A credential helper of git: 'svc git connect' sets it up for the URL of your platform. It answers 'get' for that URL only, and stores nothing.",
    load: async () => (await import('./remote.ts')).giveCredential,
  },
})

export const gitCommands = { ...projectCommands, ...accountCommands }
