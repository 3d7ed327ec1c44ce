// The commands of deployments and of the server app that runs from one.
import { onProject } from '../../command.ts'
import { requestFilterTexts } from '../logs/request-filter.ts'

export const deploymentsCommands = onProject('Deployments', {
  deploy: {
    summary: 'Upload a built directory and make it live',
    args: ['[dir]'],
    options: ['build', 'branch', 'json', 'node-modules', 'yes'],
    details:
      'The directory defaults to this one. Nothing is built, unless --build is given: it runs "build" of svc.json, or the build script of package.json, and deploys the folder "output" of svc.json, or the one that is detected, with the packages that a server needs. With --branch it becomes a preview at the URL of that branch, and the live deployment stays. Left out: .git, node_modules (unless --node-modules is given), svc.json at the top, and what .svcignore says, in the syntax of .gitignore. Symbolic links are never followed; those of a server app that stay inside the directory are recreated on the platform. Limits: 10,000 files, 25 MB per file, 250 MB in all, 100 MB compressed.',
    load: async () => (await import('./deploy.ts')).deploy,
  },
  deployments: {
    summary: 'List recent deployments; * marks the live one',
    options: ['branch', 'status', 'limit', 'json'],
    isList: true,
    details:
      'Shows the 20 most recent: id, status, time (UTC), files, size, author, commit, branch, version of Node if there is one, and permanent URL. --branch, --status and --limit look through all deployments.',
    load: async () => (await import('./list.ts')).listDeployments,
  },
  'deployments rm': {
    summary: 'Delete a deployment that is not live',
    args: ['<deployment-id>'],
    aliases: ['remove', 'delete'],
    details: 'Its files are gone for good, and it cannot be rolled back to.',
    load: async () => (await import('./deployments.ts')).removeDeployment,
  },
  rollback: {
    summary: 'Make an earlier deployment live again',
    args: ['<deployment-id>'],
    details:
      "If the project builds from git, production is locked: pushes are built, but do not go live until 'svc git unlock'. Going back to the newest deployment unlocks it, too.",
    load: async () => (await import('./deployments.ts')).rollback,
    candidates: async () => (await import('./candidates.ts')).rollbackCandidates,
  },
  promote: {
    summary: 'Make a branch deployment live',
    args: ['<deployment-id>'],
    options: ['json'],
    details:
      "Nothing is built: what you saw at the branch's URL is what goes live, and it stays at that URL. The next push to the production branch replaces it, unless a newer production deployment exists: then production is locked, as after a rollback. 'svc rollback' takes it back.",
    load: async () => (await import('./deployments.ts')).promote,
    candidates: async () => (await import('./candidates.ts')).promoteCandidates,
  },
  redeploy: {
    summary: 'Build the live deployment once more',
    args: ['[deployment-id]'],
    options: ['json'],
    details:
      'Builds the same commit again, of the live deployment or of the one that you name, with the variables and build settings of now. A deployment of production goes live again, a preview is at the URL of its branch. Only for deployments that were built from git.',
    load: async () => (await import('../builds/builds.ts')).redeploy,
  },
  restart: {
    summary: 'Restart the server app, without downtime',
    load: async () => (await import('../apps/restart.ts')).restart,
  },
  run: {
    summary: 'Run a command in an instance of the app',
    args: ['[command...]'],
    details:
      'The command runs on the platform, in a new instance of the live server app, with its files, variables and database, and with its disk while the app is asleep: svc run -- npx prisma migrate status. One argument is a line for the shell, and without one, svc run opens a shell. It reads what you type or pipe in, and has a terminal if svc has one: svc run node, svc run -- npm run import < data.csv. Its exit code is that of svc. A command ends after 30 minutes; on a terminal after 8 hours, or 30 minutes of silence.',
    load: async () => (await import('../apps/run.ts')).runRemotely,
  },
  logs: {
    summary: 'Show the log of the app, or the requests',
    options: [
      ...(['requests', 'tail', 'follow', 'since', 'level', 'search', 'branch', 'deployment'] as const),
      ...(['timestamps', 'json', 'status', 'path', 'method', 'host', 'request'] as const),
    ],
    optionTexts: requestFilterTexts,
    details:
      'The last lines of stdout and stderr; lines of earlier instances and deployments are among them. --follow goes on while the app is stopped, started or deployed again, and misses nothing. Notices go to stderr. Static sites have no log of an app. --branch shows the log of the previews of a branch. --requests shows the latest requests to any site; --follow --json prints each as one line of JSON. --status, --path, --method and --host choose among the requests: svc logs --requests --status 5xx --path /api --since 1h. --request shows one request by its id; without --requests, the lines of the app that carry the id.',
    load: async () => (await import('../logs/show.ts')).logs,
  },
  revalidate: {
    summary: 'Make the edge fetch pages of an app again',
    args: ['<path...>'],
    options: ['json'],
    details:
      'Each path is forgotten with all its query strings, on every edge at once. Up to 100 paths; static sites need none of this.',
    load: async () => (await import('../apps/revalidate.ts')).revalidate,
  },
})
