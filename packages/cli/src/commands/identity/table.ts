// The commands of an account: logging in and out, tokens, the dashboard.
import { inGroup } from '../../command.ts'

export const accountCommands = inGroup('Account', {
  login: {
    summary: 'Log in through the browser',
    options: ['api-url', 'forge'],
    details:
      'Shows a code to approve in the browser. On a platform that uses GitHub the code is entered there, unless --forge builtin is given. The token is kept in credentials.json of the configuration directory, readable by you alone.',
    load: async () => (await import('./login.ts')).login,
  },
  logout: {
    summary: 'Forget the stored token',
    load: async () => (await import('./account.ts')).logout,
  },
  whoami: {
    summary: 'Show who is logged in',
    options: ['json'],
    load: async () => (await import('./account.ts')).whoami,
  },
  email: {
    summary: 'Show the email address of the account',
    options: ['json'],
    details:
      'Also shows a new address that waits for its confirmation. The address is changed in the dashboard, under Account.',
    load: async () => (await import('./email.ts')).showEmail,
  },
  'email cancel': {
    summary: 'Cancel a change of the email address that is not confirmed yet',
    details: 'The address stays as it is, and the link that was sent to the new address stops working.',
    load: async () => (await import('./email.ts')).cancelEmailChange,
  },
  account: { summary: 'The data of your account, and its deletion' },
  'account export': {
    summary: 'Write the data of your account as JSON lines to stdout',
    details:
      'Projects with their settings, domains, deployments, form submissions and activity; no files, secrets or statistics. The last line says that the export is complete.',
    load: async () => (await import('./account-deletion.ts')).exportAccount,
  },
  'account delete': {
    summary: 'Delete your account with everything it owns, after a grace time',
    aliases: ['rm', 'remove'],
    details:
      "Asks for your password, or reads it from a pipe. Your sites go offline, and your sessions and tokens end, at once. Until the grace time is over you can take it back: log in again, then 'svc account keep'. Run 'svc account export' first to save your data.",
    load: async () => (await import('./account-deletion.ts')).deleteAccount,
  },
  'account keep': {
    summary: 'Keep your account, which waits for its deletion',
    load: async () => (await import('./account-deletion.ts')).keepAccount,
  },
  token: {
    summary: 'Create a token for scripts or the AI gateway',
    args: ['<ai|cli>', '[label...]'],
    options: ['project', 'expires'],
    details:
      'A cli token lets scripts use this tool through SVC_TOKEN; an ai token works at the AI gateway only. With --project, a cli token reaches that project only, and cannot delete, rename or transfer it. The secret goes to stdout, alone, and is shown only once.',
    load: async () => (await import('./token.ts')).createToken,
  },
  'token create': {
    summary: 'Create a cli token, for scripts and CI',
    args: ['[label...]'],
    options: ['project', 'expires'],
    details:
      "The same as 'svc token cli'. With --project, the token reaches that project only, and cannot delete, rename or transfer it. The secret goes to stdout, alone, and is shown only once.",
    load: async () => (await import('./token.ts')).createCliToken,
  },
  'token list': {
    summary: 'List your tokens; * marks the one in use',
    aliases: ['ls'],
    options: ['json'],
    details:
      'Shown are id, kind, the only project that it reaches (if there is one), label, creation, last use (some minutes behind) and expiry, in UTC. A cli token can do all that you can; an ai token works at the AI gateway only. Revoked tokens are in --json alone.',
    load: async () => (await import('./token.ts')).listTokens,
  },
  'token revoke': {
    summary: 'Revoke a token; it stops working at once',
    args: ['<id>'],
    aliases: ['rm', 'remove', 'delete'],
    load: async () => (await import('./token.ts')).revokeToken,
    candidates: async () => (await import('../candidates.ts')).tokenCandidates,
  },
  billing: {
    summary: 'Show the plan and what is used of it',
    options: ['org', 'json'],
    details:
      'Amounts of a month count from its first day on (UTC). With --org: of an organization, for its admins and owners. Plans are bought and changed in the dashboard.',
    load: async () => (await import('../billing/billing.ts')).showBilling,
  },
  usage: {
    summary: 'Show what you use, and what you may use',
    options: ['org', 'json'],
    details:
      'The limits of the plan, or those of the operator where the platform has no plans. Bandwidth and build minutes count from the first day of the month on (UTC). With --org: of an organization.',
    load: async () => (await import('../billing/usage.ts')).showUsage,
  },
  'billing invoices': {
    summary: 'List the invoices and credit notes',
    options: ['org', 'json'],
    details: 'Newest first: number, day, amount with VAT, and the id for the PDF.',
    load: async () => (await import('../billing/invoices.ts')).listInvoices,
  },
  'billing pdf': {
    summary: 'Print the URL of the PDF of an invoice',
    args: ['<invoice-id>'],
    options: ['org', 'json'],
    details: 'The URL works without a token, for 10 minutes.',
    load: async () => (await import('../billing/invoices.ts')).invoicePdf,
  },
  ai: {
    summary: 'Show the base URL of the AI gateway, and what was used of it',
    options: ['org', 'json'],
    details:
      "Requests, tokens and cost of the last 30 days, per model. With --org: of an organization. 'svc token ai' creates a token.",
    load: async () => (await import('../ai/usage.ts')).showAi,
  },
  dashboard: {
    summary: 'Open the dashboard, logged in',
    options: ['print-url'],
    load: async () => (await import('../platform/dashboard.ts')).dashboard,
  },
})
