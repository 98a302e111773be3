import type { AddressInfo } from 'node:net';
import { mask, splitWords } from '@horarium/core/plugin';
import { expect } from 'chai';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { parse as parseYaml } from 'yaml';
import { Receiver } from '../support/actions/receiver.ts';
import { readDocument } from '../support/docs/documents.ts';
import { pageCommands, pageSteps } from '../support/docs/page-steps.ts';
import { ServiceWorld } from '../support/faults/service-world.ts';
import { eventually } from '../support/mocha/eventually.ts';

/** The settings of the page on mail: the file that it has its reader save. */
const [file] = pageSteps(readDocument('plugins/docs/handbook/be-told/mail.md'));
const { plugin_options: options, actions } = parseYaml(file?.kind === 'file' ? file.text : '');

/** Commands of a page, as words without the program. */
function commandsOf(page: string): string[][] {
  const commands = pageCommands(readDocument(`plugins/docs/handbook/be-told/${page}.md`));
  return commands.map((command) => splitWords(command, 100).slice(1));
}

describe('The pages on being told', () => {
  it('tells of a failure by e-mail and webhook, and retries a delivery, as it is printed', async () => {
    const mails: string[] = [];
    const smtp = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      authOptional: true,
      allowInsecureAuth: true,
      onAuth: ({ username }, _session, callback) => callback(null, { user: username }),
      onData(stream, _session, callback) {
        let mail = '';
        stream.on('data', (chunk: Buffer) => {
          mail += chunk.toString();
        });
        stream.on('end', () => {
          mails.push(mail);
          callback();
        });
      },
    });
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    await using receiver = await new Receiver().start();
    const { port } = smtp.server.address() as AddressInfo;
    // The mail server of the test is on this machine, and has no certificate.
    Object.assign(options['action-email'], { host: '127.0.0.1', port, security: 'none' });
    await using world = await ServiceWorld.create('sqlite', {
      HORARIUM_PLUGIN_OPTIONS: JSON.stringify(options),
      HORARIUM_ACTIONS: JSON.stringify(actions),
      HORARIUM_OUTBOUND_NETWORKS: '127.0.0.1',
    });
    const template = await world.addTemplate('Nightly', ['-c', 'echo opening; echo "$KEY is refused" >&2; exit 3'], {
      interval: 'none',
    });
    const declared = { KEY: { type: 'secret', default: 'swordfish-42' } };
    await world.run('app:save', '--id', '1', '--set', `environment=${JSON.stringify(declared)}`);
    const { service } = await world.startService();
    const lists = commandsOf('notifications')
      .slice(0, 2)
      .map((words) =>
        words.map((word) =>
          word.replace(/^acme$/, world.company).replace('https://hooks.example.com', receiver.origin),
        ),
      );
    for (const words of lists) await world.run(...(words as [string, ...string[]]));
    await world.run('runtemplate:run', String(template));
    await eventually('all is told', () => mails.length === 1 && receiver.received.length === 1);
    const mail = await PostalMime.parse(mails[0] as string);
    expect(mail.subject).to.equal('[Horarium] Acme: Nightly has failed');
    expect(mail.text).to.match(/^Why: +exit code 3$/m);
    expect(mail.to?.map(({ address }) => address)).to.deep.equal(['ops@example.com']);
    expect(mail.text).to.contain(`The end of its output:\n  opening\n  ${mask} is refused\n`);
    const link = /^More: (\S+)$/m.exec(mail.text ?? '')?.[1];
    expect(link).to.match(/\/api\/v1\/job\/1\.html$/);
    const { type, data } = JSON.parse(receiver.received[0]?.body ?? '');
    expect([type, data.output]).to.deep.equal(['on_failure', `opening\n${mask} is refused`]);
    const rows: { action: string; response: string }[] = await eventually('the results are stored', async () => {
      const found = await world.run('delivery:list', '--state', 'delivered');
      return found.length === 3 && found;
    });
    expect(rows.map(({ action }) => action)).to.have.members(['email', 'webhook', 'disable']);
    expect(rows.find(({ action }) => action === 'disable')?.response).to.equal(
      'Nothing is done: 1 of 5 failures in a row.',
    );
    const outputs: unknown[] = [];
    for (const words of commandsOf('deliveries')) outputs.push(await world.run(...(words as [string, ...string[]])));
    expect(outputs).to.have.length(1);
    expect(outputs[0]).to.deep.equal([]);
    expect(await world.run('delivery:retry', '1')).to.deep.include({ id: 1, state: 'pending' });
    await eventually('it is delivered again', async () => (await world.run('delivery:get', '1')).attempts === 2);
    const [first, second] = ['action:test email --set to=jane@example.com', 'action:test --service'].map((words) =>
      words.split(' '),
    );
    expect(await world.run(...(first as [string, ...string[]]))).to.deep.include({
      endpoint: 'mailto:jane@example.com',
      result: 'arrived',
    });
    expect(await world.run(...(second as [string, ...string[]]))).to.have.length(1);
    const tests = await Promise.all(mails.slice(-2).map((each) => PostalMime.parse(each)));
    expect(tests.map(({ subject }) => subject)).to.deep.equal(
      Array(2).fill('[Horarium] Test: (TEST) a run template has failed'),
    );
    service.process.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
    expect(JSON.stringify(service.log)).not.to.contain('a password');
    await new Promise<void>((resolve) => smtp.close(() => resolve()));
  });
});
