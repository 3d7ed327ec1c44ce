// The commands of forms and what was sent to them.
import { onProject } from '../../command.ts'

export const formsCommands = onProject('Settings', {
  forms: {
    summary: 'List forms that have received submissions',
    options: ['json'],
    isList: true,
    details:
      'A form exists from its first submission: it is posted to /_svc/forms/<name> on the site. Shown are its submissions, how many are unread or spam, the last one (UTC), who is told, and how long they are kept.',
    load: async () => (await import('./forms.ts')).listForms,
  },
  'forms submissions': {
    summary: 'Show what was sent to a form, newest first',
    args: ['<form>', '[count]'],
    options: ['unread', 'spam', 'json'],
    aliases: ['show'],
    details: 'The last 20, or as many as you say, without spam. Times are UTC.',
    load: async () => (await import('./forms.ts')).showSubmissions,
  },
  'forms read': {
    summary: 'Mark a submission as read, or all of a form',
    args: ['<form>', '[submission-id]'],
    load: async () => (await import('./forms.ts')).markRead,
  },
  'forms spam': {
    summary: 'Mark a submission as spam',
    args: ['<form>', '<submission-id>'],
    details:
      'It is no longer among the submissions, in the export or in emails. See them with: svc forms submissions <form> --spam',
    load: async () => (await import('./forms.ts')).markSpam,
  },
  'forms not-spam': {
    summary: 'Take the mark as spam back',
    args: ['<form>', '<submission-id>'],
    load: async () => (await import('./forms.ts')).markNotSpam,
  },
  'forms export': {
    summary: 'Write all submissions except spam as CSV to stdout',
    args: ['<form>'],
    load: async () => (await import('./forms.ts')).exportForm,
  },
  'forms notify': {
    summary: 'Send an email for each submission, or stop',
    args: ['<form>', '<on|off|email>'],
    details: "on tells the project's owner, or the owners of its organization; an address tells that one.",
    load: async () => (await import('./forms.ts')).setNotify,
  },
  'forms retention': {
    summary: 'Delete submissions after some days',
    args: ['<form>', '<days|off>'],
    details: '1 to 3650 days; off keeps them.',
    load: async () => (await import('./forms.ts')).setRetention,
  },
  'forms rm': {
    summary: 'Delete a form, or one of its submissions',
    args: ['<form>', '[submission-id]'],
    options: ['yes'],
    aliases: ['remove', 'delete'],
    details:
      'Without a submission the form goes with all of them, for good: this asks you to type its name; --yes skips that.',
    load: async () => (await import('./forms.ts')).removeForm,
  },
})
