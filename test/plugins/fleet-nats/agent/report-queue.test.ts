import { expect } from 'chai';
import { AgentWorld } from './agent-world.ts';

const kibibyte = 1024;

describe('The reports of an attempt', () => {
  let world: AgentWorld;
  let job: number;
  beforeEach(async () => {
    world = new AgentWorld();
    job = world.hosts.add();
    await world.begin();
    await world.time.pass(1000);
  });
  afterEach(() => world.close());

  const outputs = () =>
    world.hosts.stored.flatMap(({ event, age }) => (event.kind === 'output' ? [{ ...event, age }] : []));

  it('make one message of the output of a fifth of a second, by stream, in the order in which it was written', async () => {
    for (const [text, stream] of [
      ['one ', 'stdout'],
      ['two ', 'stdout'],
      ['three', 'stderr'],
      ['four', 'stdout'],
    ] as const) {
      void world.executor.write(job, text, stream);
      await world.time.pass(20);
    }
    expect(outputs()).to.deep.equal([]);
    await world.time.pass(200);
    expect(outputs().map(({ stream, bytes }) => [stream, Buffer.from(bytes).toString()])).to.deep.equal([
      ['stdout', 'one two '],
      ['stderr', 'three'],
      ['stdout', 'four'],
    ]);
  });

  it('say how long ago each event was, also when its publication was delayed', async () => {
    world.hosts.isFull = true;
    void world.executor.write(job, 'early');
    await world.time.pass(20_000);
    world.executor.end(job);
    await world.time.pass(10_000);
    world.hosts.isFull = false;
    await world.time.pass(6000);
    const ages = world.hosts.stored.map(({ age, event }) => [event.kind, Math.floor(age / 1000)] as const);
    expect(ages.slice(0, 2)).to.deep.equal([
      ['starting', 0],
      ['started', 0],
    ]);
    expect(ages[2]?.[1]).to.be.within(30, 36);
    expect((ages[2]?.[1] as number) - (ages[3]?.[1] as number)).to.equal(20);
  });

  it('leave at once when something else follows, and the line in the place of cut output stands alone', async () => {
    void world.executor.write(job, 'all of it');
    void world.executor.write(job, '[cut]', 'stdout', true);
    world.executor.end(job);
    await world.time.pass(20);
    const shown = outputs().map(({ bytes, cut }) => [Buffer.from(bytes).toString(), cut]);
    expect(shown).to.deep.equal([
      ['all of it', false],
      ['[cut]', true],
    ]);
    expect(world.hosts.endOf(job)).to.include({ exitCode: 0 });
  });

  it('have at most 128 KiB a message', async () => {
    const bytes = Buffer.alloc(300 * kibibyte, 'x');
    void world.executor.write(job, bytes);
    await world.time.pass(1000);
    expect(outputs().map((output) => output.bytes.length / kibibyte)).to.deep.equal([128, 128, 44]);
    for (let count = 0; count < 60; count += 1) void world.executor.write(job, bytes.subarray(0, 5 * kibibyte));
    await world.time.pass(1000);
    expect(Math.max(...outputs().map((output) => output.bytes.length))).to.be.at.most(128 * kibibyte);
    expect(world.hosts.outputOf(job)).to.have.length(600 * kibibyte);
  });

  it('make the executor wait while more than 512 KiB are not stored, however small its pieces', async () => {
    for (const size of [64 * kibibyte, 1]) {
      world.hosts.isSlow = true;
      const before = world.hosts.outputOf(job).length;
      let count = 0;
      let isOver = false;
      const writing = (async () => {
        for (; !isOver; count += 1) await world.executor.write(job, Buffer.alloc(size, 'x'));
      })();
      await world.time.pass(1000);
      const waiting = count;
      expect(waiting * size).to.be.within(size === 1 ? 2000 : 448 * kibibyte, 600 * kibibyte);
      if (size === 1) expect(waiting).to.be.below(3000);
      isOver = true;
      world.hosts.release();
      await world.time.pass(5000);
      await writing;
      expect(world.hosts.outputOf(job).length - before).to.equal(count * size);
    }
  });

  it('are tried again while the stream is full, with one line in the log a minute, and lose nothing', async () => {
    world.hosts.isFull = true;
    void world.executor.write(job, 'kept');
    await world.time.pass(150_000);
    expect(world.log).to.deep.equal(Array(3).fill('report failed the stream of reports is full'));
    expect(world.executor.running).to.deep.equal([job]);
    world.hosts.isFull = false;
    await world.time.pass(6000);
    expect(world.hosts.outputOf(job)).to.equal('kept');
  });

  it('are published again when no acknowledgement comes, and count once', async () => {
    const { link } = world.hosts;
    const report = link.report.bind(link);
    let published = 0;
    Object.assign(link, {
      report: (...sent: Parameters<typeof report>) => {
        published += 1;
        const stored = report(...sent);
        return published < 3 ? stored.then(() => new Promise(() => {})) : stored;
      },
    });
    world.executor.end(job);
    await world.time.pass(20_000);
    expect(published).to.equal(3);
    expect(world.hosts.eventsOf(job).map(({ kind }) => kind)).to.deep.equal(['starting', 'started', 'ended']);
    expect(world.agent.running).to.equal(0);
  });

  it('have artifacts in pieces of 128 KiB, before the end', async () => {
    const { createHash } = await import('node:crypto');
    const file = (filename: string, content: Buffer) => ({
      filename,
      contentType: 'text/plain',
      sha256: createHash('sha256').update(content).digest('hex'),
      content,
    });
    const files = [file('big.txt', Buffer.alloc(300 * kibibyte, 'b')), file('empty.txt', Buffer.alloc(0))];
    world.executor.end(job, { files });
    await world.time.pass(1000);
    const kinds = world.hosts.eventsOf(job).map(({ kind }) => kind);
    expect(kinds).to.deep.equal(['starting', 'started', 'file', 'piece', 'piece', 'piece', 'file', 'ended']);
    expect(world.hosts.filesOf(job)).to.deep.equal(
      files.map(({ filename, contentType, content }) => ({ filename, contentType, content })),
    );
  });

  it('drop further output of what was killed, so that its end is reported', async () => {
    world.hosts.isCut = true;
    let written = 0;
    void (async () => {
      for (; written < 100; written += 1) await world.executor.write(job, Buffer.alloc(64 * kibibyte, 'x'));
    })();
    await world.time.pass(5000);
    expect(written).to.be.below(10);
    await world.time.pass(6000);
    expect(written).to.equal(100);
    world.hosts.isCut = false;
    await world.time.pass(10_000);
    expect(world.hosts.endOf(job)).to.include({ lost: true });
    expect(world.hosts.outputOf(job).length).to.be.within(448 * kibibyte, 640 * kibibyte);
  });
});
