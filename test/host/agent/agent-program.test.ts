import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { SpawnedProgram } from '../../support/program/spawned-program.ts';

/** A plugin of a third party, whose start fails by an error of the core that it imports. */
const plugin = `
  import { HorariumError } from '${import.meta.resolve('@horarium/core/plugin')}';
  const executor = { name: 'gate', options: {}, start() {} };
  const start = () => { throw new HorariumError('invalid', 'The gate has no key.'); };
  export default { name: 'gate', api: 1, executors: () => [executor], start };
`;

describe('The program of agents', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder('agent');
    writeFileSync(join(folder, 'credential'), 'no credential\n', { mode: 0o600 });
    writeFileSync(join(folder, 'gate.mjs'), plugin);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function run(...line: string[]) {
    const environment = process.getuid?.() === 0 ? { HORARIUM_RUN_AS: 'root' } : {};
    const program = new SpawnedProgram(['agent', ...line], { folder, environment });
    return { code: await program.ended, program };
  }

  it('says what is wrong as the whole program does', async () => {
    const { code, program } = await run('--credential', 'credential');
    expect(code).to.equal(1);
    expect(program.messages).to.match(/^The credential .*\.\n$/);
    const unknown = await run('--credentials', 'credential');
    expect(unknown.code).to.equal(2);
    expect(unknown.program.messages).to.match(
      /^error: unknown option '--credentials'[\s\S]*see "horarium agent --help"/,
    );
  });

  it('leaves plugins of others to the whole program, because both must have one core', async () => {
    const { code, program } = await run('--credential', 'credential', '--plugins', './gate.mjs');
    expect(code).to.equal(1);
    expect(program.messages).to.equal('The gate has no key.\n');
  });
});
