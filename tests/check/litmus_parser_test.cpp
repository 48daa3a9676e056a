// The .glt format: every mistake is one sentence with file and line, and what is read is printed back as it was.
#include "check/litmus_parser.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/diagnostics.hpp"
#include "random_litmus.hpp"

namespace ew::check {
namespace {

std::string file_text(const std::string& name) {
  std::ifstream file(EW_LITMUS "/" + name);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_mistake(const std::string& text, const std::string& sentence) {
  try {
    parse_litmus(text, "t.glt");
    ADD_FAILURE() << "no mistake was found in:\n" << text;
  } catch (const core::UserError& error) {
    EXPECT_EQ(error.what(), "t.glt:" + sentence) << text;
  }
}

TEST(LitmusParser, SaysWhichLineOfAFileHasNoMeaning) {
  expect_mistake("tset MP ptx\n",
                 "1: expected test, doc, src, pm, init, dom, expect or a thread (T0@b0: …), found \"tset\" (did you "
                 "mean \"test\"?)");
  expect_mistake("doc before any test\n", "1: expected \"test NAME KIND\" before \"doc\"");
  expect_mistake("# comment\n\ntest MP ptc\n",
                 "3: expected drf, pm or ptx after the name MP, found \"ptc\" (did you mean \"ptx\"?)");
  expect_mistake("test\n", "1: expected \"test NAME KIND\"");
  expect_mistake("test A ptx\nT0: st x 1\ntest A ptx\n", "3: there is a test A above already");
  expect_mistake("test A ptx\n", "1: test A has no thread");
  expect_mistake("test A ptx\ndoc\n", "2: expected text after doc");
}

TEST(LitmusParser, SaysWhatIsWrongWithAStatement) {
  const auto thread = [](const std::string& text, const std::string& sentence) {
    expect_mistake("test A ptx\nT0@b0: " + text + "\n", "2: " + sentence);
  };
  thread("sst x 1", "expected a statement, found \"sst\" (did you mean \"st\"?)");
  thread("", "expected a statement, found the end of the line");
  thread("st x 1 ; ; st y 1", "expected a statement, found \";\"");
  thread("st x", "expected a number, a name or \"(\", found the end of the line");
  thread("st 1 x", "expected a location, found \"1\"");
  thread("ld r0 x 1", "expected the end of the line, found \"1\"");
  thread("ld _ x", "\"_\" stands for no register, and only atomics need none");
  thread("st.rlx.dve x 1", "expected a tag, found \"dve\" (did you mean \"dev\"?)");
  thread("st.rlx.acq x 1", "st has two tags of one kind; the second is \"acq\"");
  thread("st.acq x 1", "st.acq: st may be weak, volatile, rlx or rel");
  thread("ld.rel r0 x", "ld.rel: ld may be weak, volatile, rlx or acq");
  thread("add.weak r0 x 1", "add.weak: add may be rlx, acq, rel or acqrel");
  thread("st.paired x 1", "st.paired: labels belong to accesses in tests of kind drf");
  thread("st.sc x 1", "st.sc: only fences are sc");
  thread("bar.dev", "bar takes no tags");
  thread("fence", "fence needs a scope: fence.blk, fence.dev or fence.sys");
  thread("fence.acq.dev", "fence.acq: fence takes a scope only");
  thread("st.dev x 1", "a weak access with a scope: tag it rlx, acq or rel, or leave the scope out");
  thread("ld.volatile.dev r0 x", "a volatile access with a scope: its scope is sys always");
  thread("ofence", "ofence belongs to tests of kind pm, and A is one of kind ptx");
  thread("await r0 x 1", "expected ==, !=, <, <=, > or >=, found \"1\"");
  thread("ld r1 x ; st y r2", "nothing has been put into the register r2 before it is read (did you mean \"r1\"?)");
  thread("if 1 { bar }", "bar inside if: all threads of a block must reach a barrier without a thread count");
  thread("arrive", "expected a barrier, 0 .. 15, found the end of the line");
  thread("arrive 1", "expected a number of threads, 0 .. 1024, found the end of the line");
  thread("bar 16", "expected a barrier, 0 .. 15, found \"16\"");
  thread("bar 1 2000", "expected a number of threads, 0 .. 1024, found \"2000\"");
  thread("bar 1 2", "bar 1 2: the number of threads should be a multiple of 32, the size of a warp");
  thread("bar 1 64 ; bar 1", "barrier 1 is for all threads of the block here, and for 64 threads in T0");
  thread("if 1 { st x 1", "expected \"}\", found the end of the line");
  thread("if 1 { }", "expected a statement, found \"}\"");
  thread("st x 4294967296", "\"4294967296…\" does not fit in 32 bits");
  thread("st x 12monkeys", "\"12m\" is no number");
  thread("st x $", "\"$\" has no meaning here");
  thread("st x " + std::string(100, '(') + "1", "too many parentheses or braces inside each other");
  std::string sum = "st x 1";
  for (int i = 0; i < 100000; ++i) sum += "+1";
  thread(sum, "the expression is too long");
}

TEST(LitmusParser, SaysWhatIsWrongWithAPlacement) {
  expect_mistake("test A ptx\nT0@x0: st x 1\n", "2: expected a placement such as b0, d1.b0 or b0.w1, found \"x0\"");
  expect_mistake("test A ptx\nT0@d1: st x 1\n", "2: expected \".\", found \":\"");
  expect_mistake("test A ptx\nT0@b0.x1: st x 1\n", "2: expected a warp such as w0, found \"x1\"");
  expect_mistake("test A ptx\nT0@b1000: st x 1\n", "2: expected a block 0 .. 255 behind b, found \"b1000\"");
  expect_mistake("test A ptx\nT0: st x 1\nT0: st x 1\n", "3: T0 is there twice");
  expect_mistake("test A ptx\nT0@b0: bar\nT1@b0: st x 1\n", "3: T0 and T1 are of one block and meet 1 and 0 barriers");
  expect_mistake("test A ptx\nT0@b0: bar 2\nT1@b0: bar ; bar 2\n",
                 "2: T1 and T0 are of one block and meet 1 and 0 barriers");
  expect_mistake("test A ptx\nT0@b0: bar 2\nT1@b0: st x 1\n",
                 "3: T0 and T1 are of one block and meet barrier 2 1 and 0 times");
  expect_mistake("test A ptx\nT0@b0.w0: bar 2 64\nT1@b0.w0: st x 1\n",
                 "2: T0 and T1 share a warp: a barrier with a thread count counts whole warps");
  expect_mistake("test A pm\npm X\nT0: st X 1 ; bar 1\n",
                 "3: bar 1 belongs to tests of kind ptx, and A is one of kind pm");
}

TEST(LitmusParser, SaysWhatIsWrongWithAnExpectation) {
  const auto row = [](const std::string& text, const std::string& sentence) {
    expect_mistake("test A ptx\nT0@b0: ld r0 flag\n" + text + "\n", "3: " + sentence);
  };
  row("expect finale r0 :: ptx=A",
      "expected crash, images, final, shown or MODEL=… after expect, found \"finale\" (did you mean \"final\"?)");
  row("expect crash flag==1 :: sbrp=A", "expect crash belongs to tests of kind pm, and this is one of kind ptx");
  row("expect drf0=legal", "expect drf0=… belongs to tests of kind drf; kind ptx asks expect final COND :: MODEL=A|F");
  row("expect final T0:r1==1 :: ptx=A", "T0 has no register r1 (did you mean \"r0\"?)");
  row("expect final T1:r0==1 :: ptx=A", "A has no thread T1");
  row("expect final falg==1 :: ptx=A",
      "A has no location; registers are written T0:r, and it has no falg (did you mean \"flag\"?)");
  row("expect final flag==1 :: ptx=B", "expected A (allowed) or F (forbidden), found \"B\"");
  row("expect final flag==1 :: ptz=A",
      "unknown model \"ptz\" (did you mean \"ptx\"?); there is ptx sc drf0 hrf hrf-direct");
  row("expect final flag==1 :: ptx=A ptx=F", "the row has ptx twice");
  row("expect final flag==1", "expected \"::\", found the end of the line");
  row("expect shown gpu",
      "expect shown says that the final state of the row above is seen; there is no expect final above it");
}

TEST(LitmusParser, WhatIsForbiddenCannotBeShown) {
  expect_mistake("test A ptx\nT0: ld r0 x\nexpect final T0:r0==1 :: ptx=F\nexpect shown gpu\n",
                 "4: expect shown: the final state of the row above is forbidden");
  expect_mistake("test A ptx\nT0: ld r0 x\nexpect final T0:r0==1 :: ptx=A sc=F\nexpect shown gpu under sc\n",
                 "4: expect shown: the final state of the row above is forbidden");
  expect_mistake("test A ptx\nT0: ld r0 x\nexpect final T0:r0==1 :: ptx=A\nexpect shown gpu under drf0\n",
                 "4: expect shown: the row above does not say drf0=A");
  expect_mistake("test A ptx\nT0: ld r0 x\nexpect final T0:r0==1 :: ptx=A\nexpect shown gpu under drf\n",
                 "4: unknown model \"drf\" (did you mean \"drf0\"?); there is ptx sc drf0 hrf hrf-direct");
}

TEST(LitmusParser, ARowSaysWhatIsShownUnderWhichModel) {
  const auto tests = parse_litmus(
      "test A ptx\nT0: ld r0 x\nexpect final T0:r0==1 :: ptx=A drf0=A\nexpect shown gpu,mesi under drf0\n"
      "expect shown gpu\n",
      "a.glt");
  using Shown = Expectation::Shown;
  EXPECT_EQ(tests[0].expectations[0].shown, (std::vector<Shown>{{"gpu", "drf0"}, {"mesi", "drf0"}, {"gpu", "ptx"}}));
  EXPECT_EQ(parse_litmus(print(tests), "a.glt"), tests);
}

TEST(LitmusParser, ReadsEveryPartOfTheFormat) {
  const auto tests = parse_litmus(
      "test everything drf\ndoc a # is text here\nsrc someone\ninit X=-1 Y=0x10\ndom 0 1 5\r\n"
      "T0@d1.b2: st.paired X 1 ; await.spec r Y >= 2 ; if r==2 && !(r<1) { use r } else { let q = -(r+1)*2 }\n"
      "T1: cas.acqrel.sys old X -1 (2 + 3) ; or _ Y 1 # the end\n"
      "expect drf0=legal drfrlx=data+comm\n",
      "t");
  ASSERT_EQ(tests.size(), 1u);
  const Litmus& test = tests[0];
  EXPECT_EQ(test.notes[0].text, "a # is text here");
  EXPECT_EQ(test.initial[0].value, -1);
  EXPECT_EQ(test.initial[1].value, 16);
  EXPECT_EQ(test.domain, (std::vector<Value>{0, 1, 5}));
  EXPECT_EQ(test.threads[0].placement, (Placement{1, 2, {}}));
  EXPECT_FALSE(test.threads[1].placement);
  EXPECT_EQ(test.expectations[0].cells[1].value, "data+comm");
  EXPECT_EQ(print(test.threads[1].statements[0].values[1]), "2 + 3");
  EXPECT_EQ(parse_litmus(print(tests), "printed"), tests);
}

TEST(LitmusParser, ReadsBackWhatItPrintsOfTheCommittedTests) {
  for (const char* name : {"ptx.glt", "ptx-more.glt", "consistency.glt", "pm.glt", "pm-more.glt"}) {
    const auto tests = parse_litmus(file_text(name), name);
    EXPECT_GT(tests.size(), 20u);
    const std::string text = print(tests);
    EXPECT_EQ(parse_litmus(text, "printed"), tests) << name;
    EXPECT_EQ(print(parse_litmus(text, "printed")), text) << name;
  }
}

TEST(LitmusParser, ReadsBackWhatItPrintsOfRandomTests) {
  for (u64 seed = 0; seed < 2000; ++seed) {
    const std::vector<Litmus> tests{RandomLitmus(seed).test()};
    const std::string text = print(tests);
    try {
      ASSERT_EQ(parse_litmus(text, "printed"), tests) << text;
    } catch (const core::UserError& error) {
      FAIL() << error.what() << "\n" << text;
    }
  }
}

TEST(LitmusParser, CutTextIsReadOrRefused) {
  const std::string text = file_text("pm.glt").substr(0, 3000);
  for (std::size_t length = 0; length < text.size(); ++length) {
    try {
      parse_litmus(text.substr(0, length), "cut");
    } catch (const core::UserError&) {
    }
  }
}

}  // namespace
}  // namespace ew::check
