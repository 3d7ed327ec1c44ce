// The commands of a project as a whole.
import { inGroup } from '../command.ts'

export const projectsCommands = inGroup('Projects', {
  init: {
    summary: 'Create a project and link this directory',
    args: ['[name]'],
    options: ['org'],
    details:
      'Without a name the directory gives it. The link is the file svc.json; commit it. A project of that name which you can already use is linked.',
    load: async () => (await import('../commands/init.ts')).init,
  },
  projects: {
    summary: "List your projects, or an organization's",
    options: ['org', 'json'],
    load: async () => (await import('../commands/projects.ts')).listProjects,
  },
  open: {
    summary: "Open the project's site in the browser",
    load: async () => (await import('../commands/dashboard.ts')).openSite,
  },
  stats: {
    summary: 'Show the traffic of the last hours',
    options: ['json'],
    details:
      'Requests and how many came from the cache, bandwidth, errors, a bar for each hour, and which hosts, paths and countries had most. The window is the last 24 hours, or --hours 1 to 72. [sampled] marks a busy window: its lists are cut, its totals are not. Times are UTC.',
    load: async () => (await import('../commands/stats.ts')).showStats,
  },
  audit: {
    summary: 'Show who changed what in the project',
    args: ['[count]'],
    options: ['json'],
    details: 'Newest first, with the address it came from. Times are UTC.',
    load: async () => (await import('../commands/audit.ts')).projectAudit,
  },
  rm: {
    summary: 'Delete a project and everything of it',
    args: ['<project>'],
    details:
      'Asks you to type its name; --yes skips that. Its site stops working at once, its name is free again, and nothing can bring it back. In an organization this needs the role admin.',
    load: async () => (await import('../commands/rm.ts')).removeProject,
  },
})
