export { mochaGlobalSetup } from '../../e2e/support/global-setup.ts';
