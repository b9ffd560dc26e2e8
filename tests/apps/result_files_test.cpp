// What commands do to files: results appear whole or not at all, inputs are never written, failures of writing and
// interruptions reach the exit code.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>

#include <chrono>
#include <set>
#include <thread>

#include "support/command_fixture.h"

namespace bricard {
namespace result_files_test {

using testing_support::contains;
using testing_support::models;
using testing_support::Outcome;
namespace fs = std::filesystem;

class ResultFiles : public testing_support::CommandFixture {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::string copy(const std::string& model, const std::string& name) const {
    fs::copy_file(models + model, path(name), fs::copy_options::overwrite_existing);
    return path(name);
  }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.insert(entry.path().filename());
    found.erase("out"), found.erase("error");
    return found;
  }
  /// With a soft limit of the size of files, in bytes: what a full disk does, without one.
  Outcome limited(long bytes, const std::string& arguments) const {
    const std::string out = path("out"), error = path("error");
    const std::string command = "ulimit -S -f " + std::to_string(bytes / 1024) + "; " + testing_support::command + " " +
                                arguments + " 2>&1 | cat >" + error + "; exit ${PIPESTATUS[0]}";
    write("limited.sh", command);
    const int status = std::system(("bash " + path("limited.sh")).c_str());
    fs::remove(path("limited.sh"));
    return {WEXITSTATUS(status), "", read(error)};
  }
  pid_t start(const std::vector<std::string>& arguments) const {
    std::string line;
    for (const std::string& argument : arguments) line += argument + " ";
    return testing_support::start_command(line + ">" + path("out") + " 2>" + path("error"));
  }
  template <class Condition>
  static bool wait_for(const Condition& holds) {
    for (int k = 0; k < 600; ++k) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
  static int exit_code(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
};

// An output that is an input, by its name or by a link, of every command that has both.
TEST_F(ResultFiles, InputsAreNeverWritten) {
  const std::vector<std::array<std::string, 3>> cases = {{"run", "m.csv", "--duration 0.1 --output"},
                                                         {"run", "m.html", "--duration 0.1 --report"},
                                                         {"equilibrium", "m.json", "--output"},
                                                         {"batch", "m.csv", "--sweep L=1:2:2 --output"},
                                                         {"modes", "m.json", "--output"},
                                                         {"modes", "m.html", "--report"},
                                                         {"check", "m.html", "--report"},
                                                         {"inverse", "m.csv", "--actuate A --output"},
                                                         {"kinematics", "m.h5", "--output"},
                                                         {"compare", "m.csv", "--duration 0.1 --repeats 0 --output"},
                                                         {"compare", "m.html", "--duration 0.1 --report"}};
  for (const auto& [command, name, option] : cases) {
    const std::string file = copy("pendulum.yaml", name), before = read(file);
    const Outcome direct = run(command + " " + file + " " + option + " " + file);
    EXPECT_EQ(direct.code, 2) << command;
    EXPECT_TRUE(contains(direct.error, file)) << direct.error;
    EXPECT_EQ(read(file), before) << command;
    const std::string link = path("link" + fs::path(name).extension().string());
    fs::create_symlink(file, link);
    EXPECT_EQ(run(command + " " + file + " " + option + " " + link).code, 2) << command;
    EXPECT_EQ(read(file), before) << command;
    fs::remove(link);
    fs::create_hard_link(file, link);
    EXPECT_EQ(run(command + " " + file + " " + option + " " + link).code, 2) << command;
    EXPECT_EQ(read(file), before) << command;
    fs::remove(link), fs::remove(file);
    EXPECT_TRUE(names().empty()) << command;
  }
}

TEST_F(ResultFiles, MotionAndReferenceAreInputsToo) {
  const std::string motion = path("motion.csv");
  ASSERT_EQ(run("run " + models + "planar-2r-robot.yaml --duration 0.2 --output " + motion).code, 0);
  const std::string before = read(motion);
  EXPECT_EQ(run("inverse " + models + "planar-2r-robot.yaml --motion " + motion + " --output " + motion).code, 2);
  EXPECT_EQ(read(motion), before);
  EXPECT_EQ(run("compare " + models + "planar-2r-robot.yaml --duration 0.2 --reference " + motion + " --output " +
                path("./motion.csv"))
                .code,
            2);
  EXPECT_EQ(read(motion), before);
}

TEST_F(ResultFiles, TwoOutputsAreTwoFiles) {
  fs::create_symlink(path("a.csv"), path("a.html"));
  const Outcome outcome =
      run("run " + models + "pendulum.yaml --duration 0.1 --output " + path("a.csv") + " --report " + path("a.html"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.error, "same file")) << outcome.error;
  EXPECT_FALSE(fs::exists(path("a.csv")));
  // Nor is standard output one of them.
  write("b.csv", "old\n");
  EXPECT_EQ(std::system((testing_support::command + " run " + models + "pendulum.yaml --duration 0.1 --output " +
                         path("b.csv") + " >>" + path("b.csv") + " 2>" + path("error"))
                            .c_str()) >>
                8,
            2);
  EXPECT_EQ(read(path("b.csv")), "old\n");
}

// What is refused leaves old results, and makes neither files nor folders.
TEST_F(ResultFiles, ARefusedCommandTouchesNothing) {
  write("old.csv", "precious\n");
  for (const std::string command :
       {"run MODELS/pendulum.yaml --columns nosuch", "run MODELS/pendulum.yaml --formulation nonsense",
        "run MODELS/five-bar.yaml --formulation lagrange", "run MODELS/pendulum.yaml --duration -1",
        "run MODELS/pendulum.yaml --integrator rk4", "inverse MODELS/planar-2r-robot.yaml --actuate nosuch",
        "kinematics MODELS/pendulum.yaml", "batch MODELS/pendulum.yaml --sweep nosuch=1:2:2",
        "batch MODELS/pendulum.yaml --sweep L=1:2:2 --columns nosuch",
        "compare MODELS/pendulum.yaml --formulations nosuch", "run MODELS/nosuch.yaml"}) {
    std::string arguments = command;
    arguments.replace(arguments.find("MODELS/"), 7, models);
    for (const std::string target : {"old.csv", "new/er/x.csv"}) {
      const Outcome outcome = run(arguments + " --output " + path(target));
      EXPECT_NE(outcome.code, 0) << command;
      EXPECT_FALSE(outcome.error.empty()) << command;
      EXPECT_EQ(read(path("old.csv")), "precious\n") << command;
      EXPECT_EQ(names(), std::set<std::string>{"old.csv"}) << command;
    }
  }
}

TEST_F(ResultFiles, LinksAreFollowedAndKept) {
  fs::create_directories(path("store"));
  write("store/real.csv", "old\n");
  fs::permissions(path("store/real.csv"), fs::perms(0640));
  fs::create_symlink("store/real.csv", path("link.csv"));
  fs::create_symlink("store/none.csv", path("dangling.csv"));
  for (const std::string name : {"link.csv", "dangling.csv"}) {
    ASSERT_EQ(run("run " + models + "pendulum.yaml --duration 0.1 --output " + path(name)).code, 0);
    EXPECT_TRUE(fs::is_symlink(path(name)));
  }
  EXPECT_TRUE(read(path("store/real.csv")).starts_with("time,"));
  EXPECT_EQ(fs::status(path("store/real.csv")).permissions(), fs::perms(0640));
  EXPECT_TRUE(read(path("store/none.csv")).starts_with("time,"));
  EXPECT_FALSE(fs::exists(path("store/real.csv.unfinished")));
}

TEST_F(ResultFiles, DevicesAndPipesAreWrittenAsTheyAre) {
  fs::create_symlink("/dev/null", path("null.csv"));
  EXPECT_EQ(run("run " + models + "pendulum.yaml --duration 0.1 --output " + path("null.csv")).code, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_FALSE(fs::exists("/dev/null.unfinished"));
  const Outcome text = run("generate n-four-bar --loops 2 --output /dev/stdout");
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(text.out.starts_with("# N-four-bar")) << text.out.substr(0, 40);
}

// /dev/full takes everything and keeps nothing.
TEST_F(ResultFiles, FailuresOfWritingReachTheExitCode) {
  for (const std::string ending : {"csv", "json", "html", "yaml", "h5"})
    fs::create_symlink("/dev/full", path("full." + ending));
  for (const std::string command :
       {"run MODELS/pendulum.yaml --duration 0.05 --output FULL.csv",
        "run MODELS/pendulum.yaml --duration 0.05 --output FULL.json",
        "run MODELS/pendulum.yaml --duration 0.05 --output FULL.h5",
        "run MODELS/pendulum.yaml --duration 0.05 --report FULL.html", "modes MODELS/pendulum.yaml --output FULL.json",
        "modes MODELS/pendulum.yaml --report FULL.html", "equilibrium MODELS/pendulum.yaml --output FULL.csv",
        "equilibrium MODELS/pendulum.yaml --output FULL.json", "check MODELS/pendulum.yaml --report FULL.html",
        "kinematics MODELS/driven-four-bar.yaml --duration 0.1 --output FULL.csv",
        "inverse MODELS/planar-2r-robot.yaml --duration 0.1 --output FULL.json",
        "batch MODELS/pendulum.yaml --sweep L=1:2:2 --duration 0.1 --output FULL.csv",
        "compare MODELS/pendulum.yaml --duration 0.1 --repeats 0 --formulations lagrange --output FULL.csv",
        "reproduce pennestri-valentini section-6.1 --fast --output FULL.json",
        "generate n-four-bar --output FULL.yaml"}) {
    std::string arguments = command;
    if (const auto at = arguments.find("MODELS/"); at != std::string::npos) arguments.replace(at, 7, models);
    arguments.replace(arguments.find("FULL"), 4, path("full"));
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << command << "\n" << outcome.error;
    EXPECT_TRUE(contains(outcome.error, "full.")) << command << "\n" << outcome.error;
  }
}

TEST_F(ResultFiles, StandardOutputIsAFileToo) {
  for (const std::string command :
       {"run MODELS/pendulum.yaml --duration 0.1", "run MODELS/pendulum.yaml --duration 0.1 --json",
        "check MODELS/pendulum.yaml --json", "equilibrium MODELS/pendulum.yaml --json", "modes MODELS/pendulum.yaml",
        "modes MODELS/pendulum.yaml --json", "batch MODELS/pendulum.yaml --sweep L=1:2:2 --duration 0.1", "methods",
        "methods --json", "generate n-four-bar", "reproduce", "--help", "run --help", "--version"}) {
    std::string arguments = command;
    if (const auto at = arguments.find("MODELS/"); at != std::string::npos) arguments.replace(at, 7, models);
    const int status =
        std::system((testing_support::command + " " + arguments + " >/dev/full 2>" + path("error")).c_str());
    EXPECT_EQ(WEXITSTATUS(status), 2) << command;
    EXPECT_TRUE(contains(read(path("error")), "No space left on device")) << command << "\n" << read(path("error"));
  }
}

// The disk is full in the middle of a run: the old file is there, the new rows are beside it, whole.
TEST_F(ResultFiles, AFullDiskLeavesWholeRows) {
  for (const std::string ending : {"csv", "json", "h5"}) {
    const std::string file = path("o." + ending);
    write("o." + ending, "old\n");
    const Outcome outcome = limited(150 * 1024, "run " + models + "five-bar.yaml --output " + file);
    EXPECT_EQ(outcome.code, 2) << ending << outcome.error;
    EXPECT_TRUE(contains(outcome.error, "cannot write '" + file + "': File too large")) << outcome.error;
    EXPECT_EQ(read(file), "old\n") << ending;
  }
  const std::string rows = read(path("o.csv.unfinished"));
  ASSERT_GT(rows.size(), 60000U);
  EXPECT_EQ(rows.back(), '\n');
  const auto cells = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
  const std::string header = rows.substr(0, rows.find('\n'));
  const std::size_t last = rows.rfind('\n', rows.size() - 2);
  EXPECT_EQ(cells(rows.substr(last + 1)), cells(header));
}

TEST_F(ResultFiles, TheLastBufferIsNotLost) {
  // All but the last bytes fit.
  const std::string file = path("o.csv");
  ASSERT_EQ(run("run " + models + "pendulum.yaml --duration 1 --output " + file).code, 0);
  const auto size = static_cast<long>(fs::file_size(file));
  fs::remove(file);
  EXPECT_EQ(limited((size - 1) / 1024 * 1024, "run " + models + "pendulum.yaml --duration 1 --output " + file).code, 2);
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(ResultFiles, TwoWritersOfOneFileAreRefused) {
  const std::string file = path("o.csv");
  const pid_t first = start({"run", models + "double-pendulum.yaml", "--duration", "500000", "--output", file});
  ASSERT_TRUE(wait_for([&] { return fs::exists(file + ".unfinished") && fs::file_size(file + ".unfinished") > 0; }));
  const std::string command = testing_support::command + " run " + models + "pendulum.yaml --duration 0.1 --output " +
                              file + " >" + path("out2") + " 2>" + path("error2");
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
  EXPECT_TRUE(contains(read(path("error2")), "another process is writing it")) << read(path("error2"));
  kill(first, SIGKILL);
  exit_code(first);
  // What the killed one left is in nobody's way.
  ASSERT_TRUE(fs::exists(file + ".unfinished"));
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0);
  EXPECT_TRUE(read(file).starts_with("time,"));
  EXPECT_FALSE(fs::exists(file + ".unfinished"));
}

TEST_F(ResultFiles, AnInterruptedRunKeepsItsRows) {
  const std::vector<std::tuple<int, int, std::string>> cases = {
      {SIGINT, 130, "csv"}, {SIGTERM, 143, "json"}, {SIGINT, 130, "h5"}};
  for (const auto& [signal, code, ending] : cases) {
    const std::string file = path("o." + ending), report = path("r.html");
    const pid_t child = start({"run", models + "double-pendulum.yaml", "--duration", "1000000", "--output-step", "0.1",
                               "--output", file, "--report", report});
    ASSERT_TRUE(wait_for([&, &name = ending] {
      std::error_code missing;
      return fs::file_size(path("o." + name + ".unfinished"), missing) > 20000 && !missing;
    }));
    kill(child, signal);
    EXPECT_EQ(exit_code(child), code) << ending;
    const std::string out = read(path("out")), error = read(path("error"));
    EXPECT_TRUE(contains(out, "interrupted at t = ")) << out;
    EXPECT_TRUE(contains(error, "interrupted at t = ")) << error;
    EXPECT_TRUE(contains(error, " rows up to there are in " + file)) << error;
    EXPECT_FALSE(fs::exists(file + ".unfinished"));
    EXPECT_TRUE(contains(read(report), "interrupted at t = "));
    const std::string rows = read(file);
    if (ending == "csv") {
      const std::string last = rows.substr(rows.rfind('\n', rows.size() - 2) + 1);
      EXPECT_EQ(std::count(last.begin(), last.end(), ','),
                std::count(rows.begin(), rows.begin() + static_cast<long>(rows.find('\n')), ','));
    } else if (ending == "json") {
      EXPECT_TRUE(rows.ends_with("]\n]}\n")) << rows.substr(rows.size() - 20);
    }
    fs::remove(file), fs::remove(report);
  }
}

TEST_F(ResultFiles, SummariesOfInterruptedStudiesSaySo) {
  const std::string file = path("b.csv");
  const pid_t child = start({"batch", models + "double-pendulum.yaml", "--sweep", "m=1:2:40", "--duration", "100000",
                             "--threads", "1", "--output", file, "--json"});
  ASSERT_TRUE(wait_for([&] { return fs::exists(file + ".unfinished"); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(child, SIGINT);
  EXPECT_EQ(exit_code(child), 130);
  const std::string out = read(path("out")), table = read(file);
  EXPECT_TRUE(contains(out, "\"status\": \"interrupted\"")) << out.substr(0, 300);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 41);
  EXPECT_TRUE(contains(table, ",not run,")) << table.substr(0, 300);
  EXPECT_TRUE(contains(table, "2,not run,"));
}

TEST_F(ResultFiles, EveryInterruptedStudyEndsWithWhatItHas) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"kinematics", models + "driven-four-bar.yaml", "--duration", "20000"}, "interrupted at t = "},
      {{"inverse", models + "planar-2r-robot.yaml", "--output-step", "1e-6"}, "interrupted at t = "},
      {{"compare", models + "double-pendulum.yaml", "--duration", "10000"}, "interrupted: combinations that had not"},
      {{"reproduce", "all"}, "Interrupted: "}};
  for (auto [words, says] : cases) {
    const std::string ending = words[0] == "reproduce" ? ".json" : ".csv", file = path(words[0] + ending);
    words.insert(words.end(), {"--output", file});
    const pid_t child = start(words);
    ASSERT_TRUE(wait_for([&] { return fs::exists(file + ".unfinished"); })) << words[0];
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    kill(child, SIGINT);
    EXPECT_EQ(exit_code(child), 130) << words[0];
    const std::string out = read(path("out")) + read(path("error"));
    EXPECT_TRUE(contains(out, says)) << words[0] << ": " << out;
    EXPECT_FALSE(fs::exists(file + ".unfinished")) << words[0];
    const std::string rows = fs::exists(file) ? read(file) : "";
    EXPECT_TRUE(rows.empty() || rows.ends_with("\n")) << words[0];
    fs::remove(file);
  }
}

// A command without partial results ends as signals end programs, and leaves nothing.
TEST_F(ResultFiles, AnInterruptedCheckLeavesNothing) {
  ASSERT_EQ(run("generate n-four-bar --loops 250 --output " + path("n.yaml")).code, 0);
  const pid_t child = start({"modes", path("n.yaml"), "--at", "equilibrium", "--output", path("n.json")});
  ASSERT_TRUE(wait_for([&] { return fs::exists(path("n.json.unfinished")); }));
  kill(child, SIGTERM);
  EXPECT_EQ(exit_code(child), -SIGTERM);
  EXPECT_EQ(names(), std::set<std::string>{"n.yaml"});
}

TEST_F(ResultFiles, TheFirstLineNamesTheColumns) {
  const std::string file = path("five-bar.csv");
  const Outcome outcome = run("run " + models + "five-bar.yaml --duration 0.1 --output " + file);
  ASSERT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.out, "not unique"));
  const std::string text = read(file);
  EXPECT_TRUE(text.starts_with("time,link1.x,"));
  EXPECT_FALSE(contains(text, "#"));
}

TEST_F(ResultFiles, ColumnsAreCountedAsWritten) {
  const Outcome outcome =
      run("run " + models + "five-bar.yaml --duration 0.1 --columns time,A1.fx --output " + path("two.csv"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.out, "(11 rows, 2 columns)")) << outcome.out;
  EXPECT_TRUE(read(path("two.csv")).starts_with("time,A1.fx\n"));
}

}  // namespace result_files_test
}  // namespace bricard
