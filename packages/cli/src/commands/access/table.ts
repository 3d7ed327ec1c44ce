// The commands of who may see a site: its password, and the share links of its previews.
import { onProject } from '../../command.ts'

export const passwordCommands = onProject('Settings', {
  password: {
    summary: 'Show whether the site asks for a password',
    options: ['json'],
    load: async () => (await import('./password.ts')).passwordStatus,
  },
  'password status': {
    summary: 'The same as svc password',
    options: ['json'],
    load: async () => (await import('./password.ts')).passwordStatus,
  },
  'password set': {
    summary: 'Ask visitors for a password',
    args: ['<password>'],
    options: ['previews'],
    details:
      'With --previews, it is a password of the previews alone: branches, permanent URLs and domains that track a branch. It has 4 to 128 characters; - reads it from stdin, where no one can see it. A new password locks out everyone who knew the old one.',
    load: async () => (await import('./password.ts')).setPassword,
  },
  'password rm': {
    summary: 'Make the site public',
    aliases: ['remove', 'delete'],
    options: ['previews'],
    details: 'With --previews, visitors who may see the site may see its previews.',
    load: async () => (await import('./password.ts')).removePassword,
  },
  'password members': {
    summary: 'Let only members of the org see the site',
    options: ['previews'],
    details:
      'For projects that an org owns. With --previews, it is for the previews alone. Visitors sign in at the dashboard. A former password is deleted.',
    load: async () => (await import('./password.ts')).membersOnly,
  },
})

export const previewsCommands = onProject('Deployments', {
  previews: {
    summary: 'List the share links of protected previews',
    options: ['json'],
    isList: true,
    details: 'Shown are id, branch or deployment, URL without the secret, and the last minute (UTC).',
    load: async () => (await import('./preview-links.ts')).listPreviewLinks,
  },
  'previews share': {
    summary: 'Create a link that shows a protected preview',
    args: ['<branch-or-deployment>'],
    options: ['expires', 'json'],
    optionTexts: {
      expires: { value: '<time>', summary: 'When the link ends: 12h, 7d, 4w or a date (default 7d)' },
    },
    details:
      'Everyone with the link sees the preview without a password and without an account, until the link expires (at most 90 days) or is revoked. The link of a branch shows its newest deployment, the link of a deployment always the same.',
    load: async () => (await import('./preview-links.ts')).sharePreview,
  },
  'previews revoke': {
    summary: 'Revoke a share link',
    args: ['<link-id>'],
    aliases: ['rm', 'remove', 'delete'],
    details: 'Visitors who came with it are locked out at once.',
    load: async () => (await import('./preview-links.ts')).revokePreviewLink,
    candidates: async () => (await import('../candidates.ts')).previewLinkCandidates,
  },
})
