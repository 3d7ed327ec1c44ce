// The commands of `svc org`, in the order of an organization's life.
import { inGroup } from '../../command.ts'

export const orgCommands = inGroup('Organizations', {
  org: { summary: 'Organizations: members, invites, tokens' },
  'org list': {
    summary: 'List your organizations and your roles in them',
    aliases: ['ls'],
    options: ['json'],
    load: async () => (await import('./orgs.ts')).listOrgs,
  },
  'org create': {
    summary: 'Create an organization; you become its owner',
    args: ['<name>'],
    options: ['display-name', 'json'],
    details: 'A name has 3 to 40 characters of a-z, 0-9 and -.',
    load: async () => (await import('./orgs.ts')).createOrg,
  },
  'org members': {
    summary: 'List the members',
    args: ['<org>'],
    options: ['json'],
    load: async () => (await import('./members.ts')).listMembers,
  },
  'org role': {
    summary: "Change a member's role",
    args: ['<org>', '<login>', '<role>'],
    details:
      'A member works on the projects; an admin also deletes projects and manages members, invites, tokens and the icon; an owner also changes roles, deletes the organization and pays. This needs an owner, and one owner always stays.',
    load: async () => (await import('./members.ts')).changeRole,
  },
  'org remove': {
    summary: 'Remove a member',
    args: ['<org>', '<login>'],
    details: 'This needs an admin; owners are removed by owners alone.',
    load: async () => (await import('./members.ts')).removeMember,
  },
  'org leave': {
    summary: 'Leave the organization',
    args: ['<org>'],
    load: async () => (await import('./members.ts')).leave,
  },
  'org invite': {
    summary: 'Invite someone; prints the link to accept',
    args: ['<org>', '<email>'],
    options: ['role', 'json'],
    details:
      'The link works once, for 14 days, and is shown only now. It is also sent by email where the platform sends any.',
    load: async () => (await import('./invites.ts')).invite,
  },
  'org invites': {
    summary: 'List the pending invites',
    args: ['<org>'],
    options: ['json'],
    load: async () => (await import('./invites.ts')).listInvites,
  },
  'org resend-invite': {
    summary: 'Send an invite again, with a new link',
    args: ['<org>', '<id>'],
    options: ['json'],
    load: async () => (await import('./invites.ts')).resendInvite,
  },
  'org revoke-invite': {
    summary: 'Revoke an invite',
    args: ['<org>', '<id>'],
    load: async () => (await import('./invites.ts')).revokeInvite,
  },
  'org token': {
    summary: "Create a token of the organization's",
    args: ['<org>', '<ai|deploy>', '[label...]'],
    options: ['project', 'expires'],
    details:
      'A deploy token lets CI deploy the projects through SVC_TOKEN and nothing else; with --project, it reaches that project only. An ai token works at the AI gateway only. The secret goes to stdout, alone, and is shown only once.',
    load: async () => (await import('./tokens.ts')).createOrgToken,
  },
  'org tokens': {
    summary: "List the organization's tokens",
    args: ['<org>'],
    options: ['json'],
    load: async () => (await import('./tokens.ts')).listOrgTokens,
  },
  'org revoke-token': {
    summary: 'Revoke a token; it stops working at once',
    args: ['<org>', '<id>'],
    load: async () => (await import('./tokens.ts')).revokeOrgToken,
  },
  'org installations': {
    summary: 'List the git host installations it may use',
    args: ['<org>'],
    options: ['json'],
    load: async () => (await import('./installations.ts')).listInstallations,
  },
  'org share-github': {
    summary: 'Let it use an installation of yours',
    args: ['<org>', '[installation-id]'],
    details: 'Without an id this takes your only installation; if you have several, it lists them.',
    load: async () => (await import('./installations.ts')).shareInstallation,
  },
  'org unshare-github': {
    summary: 'Stop sharing an installation',
    args: ['<org>', '<installation-id>'],
    details: 'The member who shared it and admins can do this.',
    load: async () => (await import('./installations.ts')).unshareInstallation,
  },
  'org audit': {
    summary: 'Show who changed what, newest first',
    args: ['<org>', '[count]'],
    options: ['json', 'export'],
    details: 'With --export, the whole log is written as JSON lines: one entry on each line, newest first.',
    load: async () => (await import('../platform/audit.ts')).orgAudit,
  },
  'org rm': {
    summary: 'Delete an organization without projects',
    args: ['<org>'],
    aliases: ['delete'],
    options: ['yes'],
    details: 'Asks you to type its name; --yes skips that. This needs an owner.',
    load: async () => (await import('./orgs.ts')).removeOrg,
  },
})
