// The commands of a project's disk.
import { onProject } from '../../command.ts'

export const diskCommands = onProject('Settings', {
  disk: {
    summary: 'Show the disk of the server app',
    options: ['json'],
    load: async () => (await import('./disk.ts')).showDisk,
  },
  'disk add': {
    summary: 'Give the server app a disk, or make it larger',
    options: ['size', 'path', 'shared', 'unshared', 'json'],
    optionTexts: { path: { value: '<path>', summary: 'Where the app finds it (default /data)' } },
    details:
      'A directory that stays when the app is deployed, restarted or asleep. Its path is also in the variable SVC_DISK. With a disk, one instance runs at a time: at a deploy, requests wait while the old one ends and the new one starts. With --shared, the two run side by side for the switch, as without a disk: for an app that can take another writer.',
    load: async () => (await import('./disk.ts')).addDisk,
  },
  'disk previews': {
    summary: 'Say what the disks of new previews begin with: empty, or copy',
    args: ['<empty|copy>'],
    details:
      'With copy, the disk of each new preview begins with the newest snapshot of the disk of production, so everyone who can push a branch can read that. Disks that exist stay as they are.',
    load: async () => (await import('./disk.ts')).setPreviewDisks,
  },
  'disk snapshots': {
    summary: 'List the snapshots of the disk, newest first',
    options: ['json'],
    isList: true,
    load: async () => (await import('./snapshots.ts')).listSnapshots,
  },
  'disk snapshot': {
    summary: 'Make a snapshot now; requests wait meanwhile',
    load: async () => (await import('./snapshots.ts')).makeSnapshot,
  },
  'disk restore': {
    summary: 'Replace what the disk holds by a snapshot',
    args: ['<snapshot-id>'],
    details:
      'What the disk held before is kept as a snapshot, so that this can be undone. Requests wait meanwhile.',
    load: async () => (await import('./snapshots.ts')).restoreSnapshot,
    candidates: async () => (await import('../candidates.ts')).snapshotCandidates,
  },
  'disk download': {
    summary: 'Write a snapshot to a tar file',
    args: ['<snapshot-id>', '[file]'],
    details: 'The file is <snapshot-id>.tar if none is named.',
    load: async () => (await import('./snapshots.ts')).downloadSnapshot,
  },
  'disk rm': {
    summary: 'Remove the disk; its files are kept for 7 days',
    details: "Asks for the name of the project. Within 7 days, 'svc disk add' brings the files back.",
    aliases: ['remove', 'delete'],
    load: async () => (await import('./disk.ts')).removeDisk,
  },
})
