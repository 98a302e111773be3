import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ownRoot } from '../harness/service.ts';
import { groups } from './arguments.ts';
import { PairsContext } from './context.ts';
import { measurements, shownOrder } from './measurements/measurements.ts';
import { countShellJobs } from './measurements/statements.ts';

describe('npm run bench -- pairs', () => {
  const program = fileURLToPath(new URL('../main.js', import.meta.url));

  it('ends with 2 and a sentence for arguments that do not fit', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'pairs'], { encoding: 'utf8' });
    expect({ status, stdout, stderr }).to.deep.equal({
      status: 2,
      stdout: '',
      stderr: 'Name the commit to compare with: --with COMMIT.\n',
    });
  });

  it('shows each row of each group once', () => {
    const names = shownOrder.flatMap((group) => measurements[group].rows.map(({ name }) => name));
    expect(names).to.have.length(new Set(names).size);
    expect(shownOrder).to.have.members([...groups]);
  });

  it('counts the SQL statements of shell jobs of a real service', async () => {
    await using context = new PairsContext(new AbortController().signal);
    const side = { name: 'this tree', root: ownRoot };
    const samples: number[] = [];
    const add = (_row: string, sample?: number) => void samples.push(sample as number);
    await countShellJobs(side, context, 'SQLite', { jobs: 4, idle: 300 }, add);
    const [statements, writes, kilobytes] = samples;
    // The end writes in a transaction of its own, and POST in one that the start may share.
    expect(writes).to.be.at.least(2);
    expect(statements).to.be.at.least(3 * (writes as number));
    expect(kilobytes).to.be.greaterThan(1);
  });
});
