// The commands of temporary shares.
import { inGroup } from '../../command.ts'

export const sharesCommands = inGroup('Shares', {
  share: {
    summary: 'Share a built directory for some days',
    args: ['[dir]'],
    options: ['ttl', 'json', 'node-modules', 'yes'],
    details:
      'It needs no project and gets a URL that cannot be guessed; search engines are told to stay away. When its time is over it stops working and its files are removed. The directory is packed as by deploy. A directory called ls or rm is written ./ls.',
    load: async () => (await import('./share.ts')).share,
  },
  'share ls': {
    summary: 'List your shares with their last minute (UTC)',
    aliases: ['list'],
    options: ['json'],
    load: async () => (await import('./share.ts')).listShares,
  },
  'share rm': {
    summary: 'Delete a share now',
    args: ['<name>'],
    aliases: ['remove', 'delete'],
    load: async () => (await import('./share.ts')).removeShare,
    candidates: async () => (await import('../candidates.ts')).shareCandidates,
  },
})
