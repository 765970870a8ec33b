import Mocha from 'mocha';

// The test support cleans up by hooks of mocha, which has to be there for it. Here the end of the process does that.
const mocha = new Mocha({ ui: 'bdd' });
mocha.suite.emit('pre-require', {}, '', mocha);
