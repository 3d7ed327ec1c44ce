// The commands of a project as a whole.
import { inGroup } from '../../command.ts'

export const projectsCommands = inGroup('Projects', {
  init: {
    summary: 'Create a project and link this directory',
    args: ['[name]'],
    options: ['org', 'project', 'template'],
    details:
      'Without a name the directory gives it. The link is the file svc.json; commit it. A project of that name which you can already use is linked. --template writes the files of a template here, and replaces none: html, form, vite-react, astro, eleventy, nextjs, sveltekit or hono.',
    load: async () => (await import('./init.ts')).init,
  },
  import: {
    summary: 'Import from Vercel or Netlify',
    args: ['[platform]'],
    options: ['org', 'project', 'branch', 'token', 'dry-run', 'json'],
    details:
      'The platform is vercel or netlify; without it, the files tell. Reports first what cannot be imported, and stops there if the site would not work. Then it creates the project (--project, --org), copies variables, adds scheduled jobs, writes _redirects and _headers, connects the repository, and shows how to move the domains. With --token, VERCEL_TOKEN or NETLIFY_AUTH_TOKEN, and a directory linked there, it also reads the settings at the platform; it changes nothing there. Run it again if it was cut off: it goes on.',
    load: async () => (await import('../../import/command.ts')).importProject,
  },
  projects: {
    summary: "List your projects, or an organization's",
    options: ['org', 'json'],
    isList: true,
    load: async () => (await import('./projects.ts')).listProjects,
  },
  'projects rename': {
    summary: 'Rename a project, and with it its URL',
    args: ['<project>', '<new-name>'],
    details:
      'The former URL redirects to the new one for 30 days, and nobody else can take the name in that time. A svc.json here that names the project is changed; in other copies of the repository, change it or pull.',
    load: async () => (await import('./rename.ts')).renameProject,
  },
  'projects retention': {
    summary: 'Show or set how long deployments are kept',
    args: ['<project>'],
    options: ['keep-production', 'keep-previews', 'yes', 'json'],
    details:
      'Says what would be deleted, and asks before it saves; --yes skips that. The live deployment, those that a domain shows, and those whose server app runs are never deleted. In an organization this needs the role admin.',
    load: async () => (await import('./retention.ts')).projectRetention,
  },
  'projects node': {
    summary: 'Show or set the version of Node.js of a project',
    args: ['<project>', '[version]'],
    options: ['json'],
    details:
      'The version is a number such as 22 or 22.12.0, or a range such as >=20; auto lets svc.json, .nvmrc, .node-version and engines in package.json decide. It counts for the next build or deploy.',
    load: async () => (await import('./node.ts')).projectNode,
  },
  open: {
    summary: "Open the project's site in the browser",
    args: ['[deployment-id]'],
    options: ['project', 'print'],
    details:
      'Opens the primary domain if the project has one. With a deployment it opens the permanent URL of that one. The URL is also printed.',
    load: async () => (await import('../platform/dashboard.ts')).openSite,
  },
  stats: {
    summary: 'Show the traffic of the last hours',
    options: ['project', 'hours', 'json'],
    details:
      'Requests and how many came from the cache, bandwidth, errors, a bar for each hour, and which hosts, paths and countries had most. The window is the last 24 hours, or --hours 1 to 72. [sampled] marks a busy window: its lists are cut, its totals are not. Times are UTC.',
    load: async () => (await import('../stats/stats.ts')).showStats,
  },
  metrics: {
    summary: 'Show memory, CPU and answer times of the app over time',
    options: ['project', 'range', 'json'],
    details:
      'Requests, errors, how long 95 % of the answers took at most, and what one instance of the app used while it ran, as a line of bars from the oldest to the newest. Looks back an hour, or as far as --range says. Times are UTC.',
    load: async () => (await import('../stats/metrics.ts')).showMetrics,
  },
  audit: {
    summary: 'Show who changed what in the project',
    args: ['[count]'],
    options: ['project', 'json'],
    details: 'Newest first, with the address it came from. Times are UTC.',
    load: async () => (await import('../platform/audit.ts')).projectAudit,
  },
  rm: {
    summary: 'Delete a project and everything of it',
    args: ['<project>'],
    options: ['yes'],
    details:
      'Asks you to type its name; --yes skips that. Its site stops working at once, its name is free again, and nothing can bring it back. In an organization this needs the role admin.',
    load: async () => (await import('./rm.ts')).removeProject,
  },
})
