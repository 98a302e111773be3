import { expect } from 'chai';
import { groups, PairsError, readPairsArguments } from './arguments.ts';

describe('The arguments of pairs', () => {
  it('default to one round of all groups', () => {
    expect(readPairsArguments(['--with', 'main'])).to.deep.equal({ commits: ['main'], rounds: 1, only: groups });
  });

  it('take several commits, each once, a number of rounds, and groups in the order in which they are measured', () => {
    const args = [
      '--with',
      'a1df491',
      '--with=ae58b3c',
      '--with',
      'a1df491',
      '--rounds',
      '3',
      '--only',
      'shell, drained',
    ];
    expect(readPairsArguments(args)).to.deep.equal({
      commits: ['a1df491', 'ae58b3c'],
      rounds: 3,
      only: ['drained', 'shell'],
    });
  });

  it('ask for help', () => {
    expect(readPairsArguments(['--help'])).to.equal('help');
  });

  for (const [args, message] of [
    [[], /--with COMMIT/],
    [['--with'], /--with/],
    [['main'], /main/],
    [['--with', 'main', '--fast'], /--fast/],
    [['--with', 'main', '--rounds', '0'], /whole number from 1 to 9, not "0"/],
    [['--with', 'main', '--rounds', '10'], /not "10"/],
    [['--with', 'main', '--rounds', '1.5'], /not "1.5"/],
    [['--with', 'main', '--only', 'shell,growth'], /no group growth: --only takes statements, /],
    [['--with', 'main', '--only', ''], /no group/],
    [['--with', 'a', '--with', 'b', '--with', 'c', '--with', 'd'], /more than 3 commits/],
  ] as const)
    it(`are refused where they are ${args.join(' ') || 'left out'}`, () => {
      expect(() => readPairsArguments(args)).to.throw(PairsError, message);
    });
});
